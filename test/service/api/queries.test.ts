import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually, listChildPids } from '../support/service-process.ts'
import { shareService } from '../support/shared-service.ts'
import { expectWithin } from '../../support/expect-within.ts'

/** Queries of a real service. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService('--query-timeout-ms', '60000')

const QUERIES = '/api/environments/1/query/'

interface Request {
  readonly body?: object
  readonly key?: string
  readonly accept?: string
}

const send = async (
  method: string,
  path: string,
  { body, key = service.personalApiKey, accept = 'application/json' }: Request = {},
) => {
  const headers = { authorization: `Bearer ${key}`, accept }
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** The JSON of a query status. */
const statusOf = async (id: string, request?: Request) =>
  (await send('GET', `${QUERIES}${id}/`, request)).body.query_status

const startJob = async (query: string, fields: object = {}): Promise<string> => {
  const { status, body } = await send('POST', QUERIES, { body: { query, refresh: 'async', ...fields } })
  expect(status).toBe(202)
  const { id } = body.query_status
  onTestFinished(async () => void (await send('DELETE', `${QUERIES}${id}/`)))
  return id
}

const createKey = async (...scopes: string[]): Promise<string> =>
  (await send('POST', '/api/personal_api_keys/', { body: { label: 'test', scopes } })).body.value

const isComplete = async (id: string): Promise<boolean> => (await statusOf(id)).complete
const isRunning = async (id: string): Promise<boolean> => (await statusOf(id)).pickup_time !== null

/** A query that takes far longer than a test. */
const SLOW = `WITH t AS MATERIALIZED (SELECT hash(range) AS h FROM range(1000000))
  SELECT count(*) FROM t a, t b WHERE a.h % 7 = b.h % 11`

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

// API: | GET | /api/environments/:project_id/query/:id/ | query:read | path id (string) | 200, object with query_status (Query status) |
test('starts a job, and reads its status and result', async () => {
  for (const fields of [{ async: true }, { refresh: 'async' }, { refresh: 'lazy_async' }, { refresh: 'force_async' }]) {
    const body = { query: { kind: 'HogQLQuery', query: 'select 1 as one' }, name: 'weekly report', ...fields }
    const started = await send('POST', QUERIES, { body })
    expect([started.status, Object.keys(started.body)]).toEqual([202, ['query_status']])
    const { id } = started.body.query_status
    await eventually(() => isComplete(id))
    const { status, body: read } = await send('GET', `${QUERIES}${id}/`)
    expect(status).toBe(200)
    expect(read.query_status).toEqual({
      // API: | complete | boolean |
      complete: true,
      // API: | error | boolean |
      error: false,
      // API: | id | string |
      id: expect.any(String),
      // API: | query_async | boolean |
      query_async: true,
      // API: | team_id | integer |
      team_id: 1,
      // API: | dashboard_id, end_time, error_message, expiration_time, insight_id, labels, pickup_time, query_progress, results,
      // start_time, task_id | nullable; the type of each is not shown (only null is given) |
      dashboard_id: null,
      end_time: TIME,
      error_message: null,
      expiration_time: TIME,
      insight_id: null,
      labels: ['weekly report'],
      pickup_time: TIME,
      query_progress: null,
      results: { columns: ['one'], types: ['INTEGER'], results: [[1]], hasMore: false },
      start_time: TIME,
      task_id: null,
      // Ours.
      error_code: null,
    })
    const { start_time, pickup_time, end_time, expiration_time } = read.query_status
    const times = [start_time, pickup_time, end_time].map(Date.parse)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(Date.parse(expiration_time) - Date.parse(end_time)).toBe(20 * 60_000)
  }
})

test.each([
  {},
  { refresh: 'blocking' },
  { refresh: true },
  { refresh: 'async_except_on_cache_miss' },
  { async: false },
])('waits for the result with %j', async (fields) => {
  const { status, body } = await send('POST', QUERIES, { body: { query: 'select 1', ...fields } })
  expect([status, body.results]).toEqual([200, [[1]]])
  const { id } = body.query_status
  // The query is known, but its result was in the response only.
  expect(await statusOf(id)).toMatchObject({ id, complete: true, query_async: false, results: null, error: false })
})

test.each([
  [{ refresh: 'soon' }, 'refresh', 'must be true, false or one of async, lazy_async'],
  [{ async: 'yes' }, 'async', 'must be true or false'],
  [{ client_query_id: 'a/b' }, 'client_query_id', 'letters, digits, hyphens'],
  [{ client_query_id: 'check_auth_for_async' }, 'client_query_id', 'must be'],
  [{ client_query_id: 'x'.repeat(129) }, 'client_query_id', '1 to 128'],
  [{ name: 'x'.repeat(129) }, 'name', 'at most 128 characters'],
  [{ query: `select '${'x'.repeat(64 * 1024)}'` }, 'query', 'longer than 65536 bytes'],
])('refuses a wrong field: %#', async (fields, attr, detail) => {
  const { status, body } = await send('POST', QUERIES, { body: { query: 'select 1', ...fields } })
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ type: 'validation_error', attr, detail: expect.stringContaining(detail) }),
  ])
})

test('keeps the error of a job', async () => {
  const id = await startJob('select nothing from events')
  await eventually(() => isComplete(id))
  expect(await statusOf(id)).toMatchObject({
    complete: true,
    error: true,
    error_code: 'query_invalid',
    error_message: expect.stringContaining('nothing'),
    results: null,
    end_time: TIME,
    expiration_time: TIME,
  })
})

// API: | Query | running (complete is false) | DELETE on the query id | query exists | cancelled | 204 returned |
// API: | DELETE | /api/environments/:project_id/query/:id/ | query:read | path id (string) | 204, no body (query cancelled) |
describe('DELETE', () => {
  test('cancels a running query, with the scope query:read', async () => {
    const key = await createKey('query:read')
    await service.batch(Array.from({ length: 200 }, () => ({ event: 'counted', distinct_id: 'ada' })))
    await service.queryStored('select 1')
    // The store tells how far it is for its own tables only.
    const sql = `SELECT count(*) FROM events a, events b, events c, events d, events e
      WHERE hash(a.uuid) % 7 = hash(e.uuid) % 11`
    const id = await startJob(sql)
    await eventually(async () => (await statusOf(id)).query_progress?.estimated_rows_total > 0)
    expect(await statusOf(id, { key })).toMatchObject({
      complete: false,
      error: false,
      end_time: null,
      expiration_time: null,
      results: null,
      query_progress: {
        rows_read: expect.any(Number),
        estimated_rows_total: expect.any(Number),
        bytes_read: null,
        time_elapsed: expect.any(Number),
        active_cpu_time: null,
      },
    })
    const { status, text } = await send('DELETE', `${QUERIES}${id}/`, { key })
    expect([status, text]).toEqual([204, ''])
    const cancelled = await statusOf(id)
    expect(cancelled).toMatchObject({
      complete: true,
      error: true,
      error_code: 'query_cancelled',
      error_message: 'The query was cancelled.',
      query_progress: null,
    })
    // A query that has ended answers 204, too, and stays as it is.
    expect((await send('DELETE', `${QUERIES}${id}/`)).status).toBe(204)
    expect(await statusOf(id)).toEqual(cancelled)
  })

  test('answers 404 to an unknown query', async () => {
    for (const method of ['GET', 'DELETE'])
      expect(await send(method, `${QUERIES}unknown/`)).toMatchObject({
        status: 404,
        body: { type: 'invalid_request', code: 'not_found', detail: expect.stringContaining('no query "unknown"') },
      })
  })

  test('cancels a query that a client waits for, by the id that the client chose', async () => {
    const result = send('POST', QUERIES, { body: { query: SLOW, client_query_id: 'my-query' } })
    await eventually(async () => (await send('GET', `${QUERIES}my-query/`)).status === 200)
    await send('DELETE', `${QUERIES}my-query/`)
    expect(await result).toMatchObject({ status: 400, body: { code: 'query_cancelled' } })
  })

  test('frees the slot of the query within 100 ms', async () => {
    await expectWithin(100, async () => {
      // Both slots of the project are taken, so that the third one waits.
      const ids = [await startJob(SLOW), await startJob(SLOW)]
      for (const id of ids) await eventually(() => isRunning(id))
      const waiting = await startJob('select 1')
      expect(await statusOf(waiting)).toMatchObject({ pickup_time: null, query_progress: null, complete: false })
      const cancelledAt = Date.now()
      await send('DELETE', `${QUERIES}${ids[0]!}/`)
      await eventually(() => isComplete(waiting))
      await send('DELETE', `${QUERIES}${ids[1]!}/`)
      return Date.parse((await statusOf(waiting)).pickup_time) - cancelledAt
    })
  })
})

test('cancels a query within 100 ms when its client has left', async () => {
  await expectWithin(100, async (attempt) => {
    const id = `left-${attempt}`
    const client = new AbortController()
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${service.personalApiKey}` },
      body: JSON.stringify({ query: SLOW, client_query_id: id }),
      signal: client.signal,
    }
    const result = fetch(`${service.url}${QUERIES}`, init).catch(() => undefined)
    await eventually(async () => (await send('GET', `${QUERIES}${id}/`)).body.query_status?.pickup_time !== undefined)
    const leftAt = Date.now()
    client.abort()
    await result
    await eventually(() => isComplete(id))
    const { error_code, end_time } = await statusOf(id)
    expect(error_code).toBe('query_cancelled')
    return Date.parse(end_time) - leftAt
  })
})

test('answers a repeated request for a job with the same job', async () => {
  const fields = { client_query_id: 'repeated' }
  expect([await startJob('select 1', fields), await startJob('select 1', fields)]).toEqual(['repeated', 'repeated'])
  expect(await send('POST', QUERIES, { body: { query: 'select 2', async: true, ...fields } })).toMatchObject({
    status: 409,
    body: { code: 'query_id_in_use', attr: 'client_query_id' },
  })
})

test('shows a query to its project only', async () => {
  const { body } = await send('POST', '/api/projects/', { body: { name: 'Other' } })
  const id = await startJob(SLOW)
  for (const method of ['GET', 'DELETE'])
    expect((await send(method, `/api/environments/${body.project_id}/query/${id}/`)).status).toBe(404)
  expect(await isComplete(id)).toBe(false)
})

test('runs queries of a project while another one has filled its queue, and refuses more there', async () => {
  const { body } = await send('POST', '/api/projects/', { body: { name: 'Quiet' } })
  for (let count = 0; count < 52; count++) await startJob(SLOW)
  const refused = await send('POST', QUERIES, { body: { query: 'select 1', async: true } })
  expect(refused).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'too_many_queries' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const quiet = await send('POST', `/api/environments/${body.project_id}/query/`, { body: { query: 'select 1' } })
  expect([quiet.status, quiet.body.results]).toEqual([200, [[1]]])
})

test('ends a running job with an error when its indexer dies, and then runs the waiting one', async () => {
  const running = [await startJob(SLOW), await startJob(SLOW)]
  for (const id of running) await eventually(() => isRunning(id))
  const waiting = await startJob('select 7')

  const [indexer] = listChildPids(service.pid)
  process.kill(indexer!, 'SIGKILL')
  for (const id of running) {
    await eventually(() => isComplete(id))
    expect(await statusOf(id)).toMatchObject({
      error: true,
      error_code: 'store_unavailable',
      error_message: 'The indexer process ended (SIGKILL). Try the query again.',
    })
  }
  await eventually(() => isComplete(waiting))
  expect(await statusOf(waiting)).toMatchObject({ error: false, results: { results: [[7]] } })
})

// API: | POST | /api/environments/:project_id/query/check_auth_for_async/ | none given | no body | 200, no body |
// API: "…the meaning of check_auth_for_async beyond its name: not shown." Ours: whether the key may run queries.
test('tells whether a key may run queries', async () => {
  const path = `${QUERIES}check_auth_for_async/`
  const allowed = await send('POST', path, { key: await createKey('query:read') })
  expect([allowed.status, allowed.text]).toEqual([200, ''])
  expect(await send('POST', path, { key: await createKey('project:read') })).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('"query:read"') },
  })
  expect((await send('GET', path)).status).toBe(405)
})

test('answers rows as CSV or JSON lines if the client accepts them', async () => {
  const query = `SELECT 1 AS n, 'a,"b"' AS text, NULL AS nothing, ['x'] AS list, '=1+1' AS "=x"`
  const csv = await send('POST', QUERIES, { body: { query }, accept: 'text/csv' })
  expect([csv.status, csv.headers.get('content-type'), csv.headers.get('waymark-has-more'), csv.text]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'false',
    `n,text,nothing,list,'=x\r\n1,"a,""b""",,"[""x""]",'=1+1\r\n`,
  ])
  const lines = await send('POST', QUERIES, {
    body: { query: 'SELECT range AS n FROM range(100000)' },
    accept: 'application/x-ndjson, application/json;q=0.5',
  })
  expect([lines.headers.get('content-type'), lines.headers.get('waymark-has-more')]).toEqual([
    'application/x-ndjson; charset=utf-8',
    'true',
  ])
  expect(lines.text.split('\n').slice(0, 2)).toEqual(['{"n":0}', '{"n":1}'])
  const failed = await send('POST', QUERIES, { body: { query: 'SELECT nothing' }, accept: 'text/csv' })
  expect([failed.status, failed.body.code]).toEqual([400, 'query_invalid'])
})
