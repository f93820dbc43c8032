import { beforeAll, describe, expect, it } from 'vitest'
import {
  ConnectionError,
  createClient,
  ManagementError,
  QueryFailedError,
  ServiceError,
} from '../../../src/entry/management.ts'
import type {
  Client,
  ClientOptions,
  FeatureFlag,
  PersonalApiKey,
  QueryStatus,
  SessionRecordingPlaylist,
} from '../../../src/entry/management.ts'
import { findClosedPort } from '../../support/find-closed-port.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { eventually } from '../support/service-process.ts'
import { shareService } from '../support/shared-service.ts'

/** The client of the management API on a real service. */

const FLAGS = '/api/environments/{project_id}/feature_flags/'
const FLAG = '/api/environments/{project_id}/feature_flags/{id}/'
const EXPORTS = '/api/environments/{project_id}/exports/'
const PLAYLISTS = '/api/environments/{project_id}/session_recording_playlists/'
const REQUESTS_PER_MINUTE = 300

const service = shareService('--max-key-requests-per-minute', String(REQUESTS_PER_MINUTE))

const connect = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ host: service.url, personalApiKey: service.personalApiKey, projectId: '1', ...options })

const urlOf = (input: string | URL | Request): URL => new URL(input instanceof Request ? input.url : input)

/** A fetch that counts the requests and fails the first ones: without a response, or with a status. */
const failingFetch = (failures: readonly ('no response' | Response)[]) => {
  const paths: string[] = []
  const flakyFetch: typeof fetch = async (input, init) => {
    paths.push(urlOf(input).pathname)
    const failure = failures[paths.length - 1]
    if (failure === 'no response') throw new TypeError('fetch failed')
    return failure ?? fetch(input, init)
  }
  return { paths, fetch: flakyFetch }
}

const busy = (retryAfter = '0'): Response =>
  Response.json(
    { type: 'server_error', code: 'busy', detail: 'The service is busy.', attr: null },
    { status: 503, headers: { 'retry-after': retryAfter } },
  )

const errorOf = async (promise: Promise<unknown>): Promise<ManagementError> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ManagementError))
    throw new Error('It did not reject with a ManagementError.', { cause: error })
  return error
}

const createKey = async (...scopes: PersonalApiKey['scopes']): Promise<string> => {
  const key = await connect().post('/api/personal_api_keys/', { body: { label: 'test', scopes } })
  return key.value!
}

describe('calls', () => {
  it('create, read, change and delete a resource', async () => {
    const client = connect()
    const created: FeatureFlag = await client.post(FLAGS, { body: { key: 'beta', filters: { groups: [] } } })
    const path = { id: String(created.id) }
    expect(await client.get(FLAG, { path })).toEqual(created)
    expect(await client.patch(FLAG, { path, body: { active: false } })).toMatchObject({ key: 'beta', active: false })
    expect(await client.delete(FLAG, { path })).toBeUndefined()
    expect(await errorOf(client.get(FLAG, { path }))).toMatchObject({ status: 404 })
  })

  it('read a file', async () => {
    const { get, post } = connect()
    const context = { source: { kind: 'HogQLQuery', query: "select 'ü' as letter" }, filename: 'letters' }
    const { id } = await post(EXPORTS, { body: { export_format: 'application/json', export_context: context } })
    const path = { path: { id } }
    await eventually(async () => (await get(`${EXPORTS}{id}/`, path)).has_content)
    const content: Blob = await get(`${EXPORTS}{id}/content/`, path)
    expect([content.type, JSON.parse(await content.text())]).toEqual(['application/json', [{ letter: 'ü' }]])
  })

  it('have the types of the OpenAPI document', async () => {
    const client = connect()
    const playlist: SessionRecordingPlaylist = await client.post(PLAYLISTS, { body: { name: 'Typed' } })
    const shortId: string = playlist.short_id
    // @ts-expect-error A level is 1, 8 or 15.
    const invalid = () => client.post('/api/environments/{project_id}/explicit_members/', { body: { level: 'high' } })
    // @ts-expect-error The id is missing.
    const incomplete = () => client.get(FLAG)
    // @ts-expect-error A playlist cannot be deleted.
    const impossible = () => client.delete('/api/environments/{project_id}/session_recording_playlists/{short_id}/')
    expect([typeof shortId, invalid, incomplete, impossible].length).toBe(4)
  })

  it('use the project of the key by default, and another one if asked', async () => {
    const project = '/api/environments/{project_id}/'
    const { project_id: id } = await connect().post('/api/projects/', { body: { name: 'Second shop' } })
    expect(await connect({ projectId: undefined }).get(project)).toMatchObject({ project_id: '1' })
    expect(await connect().get(project, { projectId: id })).toMatchObject({ name: 'Second shop' })
  })
})

const createPlaylists = async (...names: string[]): Promise<void> => {
  for (const name of names)
    await connect().post(PLAYLISTS, { body: { name, description: `made of ${names.join(', ')}` } })
}

describe('lists', () => {
  it('reads page after page, only as far as the loop goes', async () => {
    await createPlaylists('a', 'b', 'c', 'd', 'e')
    const { paths, fetch } = failingFetch([])
    const client = connect({ fetch })
    const query = { search: 'made of a, b, c, d, e', order: 'name', limit: 2 } as const
    const names: string[] = []
    for await (const { name } of client.list(PLAYLISTS, { query })) names.push(name)
    expect([names.join(''), paths.length]).toEqual(['abcde', 3])

    const pages = client.pages(PLAYLISTS, { query: { ...query, offset: 1 } })
    const { value } = await pages.next()
    expect(value).toMatchObject({ count: 5, results: [{ name: 'b' }, { name: 'c' }] })
    await pages.return()
    expect(paths).toHaveLength(4)
  })

  it('never sends the key to the origin of the next URL', async () => {
    await createPlaylists('f', 'g')
    const client = connect({
      fetch: async (input, init) => {
        expect(urlOf(input).origin).toBe(service.url)
        const page = await (await fetch(input, init)).json()
        const next = page.next === null ? null : page.next.replace(service.url, 'http://internal.example')
        return Response.json({ ...page, next })
      },
    })
    let count = 0
    for await (const page of client.pages(PLAYLISTS, { query: { limit: 1 } })) count += page.results.length
    expect(count).toBeGreaterThan(1)
  })
})

describe('queries', () => {
  it('resolve to columns, types and rows', async () => {
    await service.queryStored('select 1')
    expect(await connect().query("select 1 as one, 'x' as text, null as nothing")).toMatchObject({
      columns: ['one', 'text', 'nothing'],
      results: [[1, 'x', null]],
      hasMore: false,
      query_status: { complete: true, team_id: 1 },
    })
  })

  it('reject with the error of the SQL', async () => {
    expect(await errorOf(connect().query('select nothing from events'))).toMatchObject({
      status: 400,
      code: 'query_invalid',
      attr: 'query',
      detail: expect.stringContaining('nothing'),
    })
  })
})

/** Takes far longer than a test, with 200 events. */
const SLOW = `SELECT count(*) FROM events a, events b, events c, events d, events e
  WHERE hash(a.uuid) % 7 = hash(e.uuid) % 11`

const readStatus = async (id: string): Promise<QueryStatus> =>
  (await connect().get('/api/environments/{project_id}/query/{id}/', { path: { id } })).query_status

describe('jobs', () => {
  beforeAll(async () => {
    await service.batch(Array.from({ length: 200 }, () => ({ event: 'counted', distinct_id: 'ada' })))
    await service.queryStored('select 1')
  })

  it('are started, and resolve to columns and rows like a query', async () => {
    const { id, query_async, labels } = await connect().startQuery('select 1 as one', { name: 'report' })
    expect([query_async, labels]).toEqual([true, ['report']])
    const direct = await connect().query('select 1 as one')
    const rows: readonly (readonly unknown[])[] = direct.results
    expect(rows).toEqual([[1]])
    for (const query of [{ id }, { sql: 'select 1 as one' }]) {
      const { query_status, ...rows } = await connect().waitForQuery(query)
      expect(query_status).toMatchObject({ complete: true, error: false, results: null })
      const { query_status: _, ...directRows } = direct
      expect(rows).toEqual(directRows)
    }
    expect((await readStatus(id)).results).toMatchObject({ columns: ['one'] })
  })

  it('tell how far they are, and end on the service when the signal is aborted', async () => {
    const controller = new AbortController()
    const reason = new Error('The user has left.')
    const seen: QueryStatus[] = []
    const onProgress = (status: QueryStatus): void => {
      seen.push(status)
      if ((status.query_progress?.estimated_rows_total ?? 0) > 0) controller.abort(reason)
    }
    const query = connect().waitForQuery({ sql: SLOW }, { signal: controller.signal, onProgress })
    await expect(query).rejects.toBe(reason)
    expect(seen.at(-1)).toMatchObject({ complete: false, pickup_time: expect.any(String) })
    // The cancellation was answered before the rejection.
    expect(await readStatus(seen[0]!.id)).toMatchObject({ complete: true, error_code: 'query_cancelled' })
  })

  it('end on the service when the signal is aborted during their start', async () => {
    for (const verb of ['startQuery', 'waitForQuery'] as const) {
      const controller = new AbortController()
      const requests: string[] = []
      let id = ''
      const client = connect({
        fetch: async (input, init) => {
          requests.push(init!.method!)
          const response = await fetch(input, { ...init, signal: null })
          if (init!.method === 'POST') {
            id = JSON.parse(init!.body as string).client_query_id
            controller.abort()
            init!.signal!.throwIfAborted()
          }
          return response
        },
      })
      const options = { signal: controller.signal }
      const query =
        verb === 'startQuery' ? client.startQuery(SLOW, options) : client.waitForQuery({ sql: SLOW }, options)
      await expect(query).rejects.toMatchObject({ name: 'AbortError' })
      expect(requests).toEqual(['POST', 'DELETE'])
      expect(await readStatus(id)).toMatchObject({ error_code: 'query_cancelled' })
    }
  })

  it('reject with their error', async () => {
    const error = await errorOf(connect().waitForQuery({ sql: 'select nothing from events' }))
    expect(error).toBeInstanceOf(QueryFailedError)
    expect(error).toMatchObject({
      name: 'QueryFailedError',
      type: 'query_error',
      code: 'query_invalid',
      detail: expect.stringContaining('nothing'),
      status: null,
      queryId: expect.any(String),
    })
    expect(await errorOf(connect().waitForQuery({ id: 'unknown' }))).toMatchObject({ status: 404 })
  })

  it('are started once, also when the response to the start is lost', async () => {
    const { paths, fetch } = failingFetch([])
    let lost = 0
    const client = connect({
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (init?.method === 'POST' && lost++ === 0) throw new TypeError('fetch failed')
        return response
      },
    })
    const { start_time, id } = await client.startQuery('select 1')
    expect(paths).toHaveLength(2)
    expect((await readStatus(id)).start_time).toBe(start_time)
  })
})

describe('errors', () => {
  it.each([
    ['a wrong key', async () => connect({ personalApiKey: 'wmx_wrong' }), 401, 'invalid_personal_api_key'],
    [
      'a missing scope',
      async () => connect({ personalApiKey: await createKey('survey:read') }),
      403,
      'permission_denied',
    ],
    ['another project', async () => connect({ projectId: '99' }), 404, 'not_found'],
  ])('tell of %s', async (_, open, status, code) => {
    const error = await errorOf((await open()).get(FLAGS))
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ name: 'ServiceError', status, code, type: expect.any(String), retryAfterMs: 0 })
    expect(error.message).toBe(error.detail)
  })

  it('name the field that is wrong', async () => {
    const body = { key: '', filters: { groups: [] } }
    expect(await errorOf(connect().post(FLAGS, { body }))).toMatchObject({
      status: 400,
      type: 'validation_error',
      attr: 'key',
    })
  })

  it('tell of a change that is based on an old version', async () => {
    const path = '/api/environments/{project_id}/'
    const { version } = await connect().get(path)
    await connect().patch(path, { body: { name: 'Renamed' } })
    expect(await errorOf(connect().patch(path, { body: { name: 'Lost', version } }))).toMatchObject({
      status: 409,
      code: 'version_conflict',
    })
  })

  it('tell how long to wait after too many requests', async () => {
    const client = connect({ personalApiKey: await createKey('*'), maxRetries: 0 })
    const calls = Array.from({ length: REQUESTS_PER_MINUTE + 1 }, () =>
      client.get('/api/users/{uuid}/', { path: { uuid: '@me' } }),
    )
    const rejected = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
    expect(rejected.length).toBeGreaterThan(0)
    const error = await errorOf(client.get('/api/users/'))
    expect(error).toMatchObject({ status: 429, type: 'throttled_error' })
    expect(error.retryAfterMs).toBeGreaterThan(0)
    expect(error.retryAfterMs).toBeLessThanOrEqual(60_000)
  })
})

describe('retries', () => {
  it('repeat what only reads, after no response and after a 503', async () => {
    for (const call of [
      (client: Client) => client.get(FLAGS),
      (client: Client) => client.query('select 1'),
      (client: Client) => client.list(FLAGS).next(),
    ]) {
      const { paths, fetch } = failingFetch(['no response', busy()])
      await call(connect({ fetch }))
      expect(paths).toHaveLength(3)
    }
  })

  it('never repeat what changes something', async () => {
    for (const fail of [() => 'no response' as const, busy]) {
      const { paths, fetch } = failingFetch([fail(), fail()])
      const body = { key: 'once', filters: { groups: [] } }
      await errorOf(connect({ fetch }).post(FLAGS, { body }))
      await errorOf(connect({ fetch }).patch(FLAG, { path: { id: '1' }, body: {} }))
      expect(paths).toHaveLength(2)
    }
    const { results } = await connect().get(FLAGS, { query: { limit: 1000 } })
    expect(results.map(({ key }) => key)).not.toContain('once')
  })

  it('end after maxRetries', async () => {
    const { paths, fetch } = failingFetch(Array.from({ length: 9 }, () => 'no response'))
    expect(await errorOf(connect({ fetch, maxRetries: 1 }).get(FLAGS))).toMatchObject({ code: 'unreachable' })
    expect(paths).toHaveLength(2)
  })

  it('do not wait for more than a minute', async () => {
    const { paths, fetch } = failingFetch([busy('61')])
    expect(await errorOf(connect({ fetch }).get(FLAGS))).toMatchObject({ code: 'busy', retryAfterMs: 61_000 })
    expect(paths).toHaveLength(1)
  })
})

describe('signals', () => {
  it('end a running query with the reason of the signal, also on the service', async () => {
    const client = connect({
      // Names the query, so that the test can look at it.
      fetch: (input, init) => {
        const body = JSON.stringify({ ...JSON.parse(init!.body as string), client_query_id: 'left' })
        return fetch(input, { ...init, body })
      },
    })
    const controller = new AbortController()
    const query = client.query(SLOW, { signal: controller.signal })
    const result = expect(query).rejects.toThrow('The user has left.')
    await eventually(async () => typeof (await readStatus('left').catch(() => null))?.pickup_time === 'string')
    controller.abort(new Error('The user has left.'))
    await result
    await eventually(async () => (await readStatus('left')).complete)
    expect(await readStatus('left')).toMatchObject({ error_code: 'query_cancelled' })
  })

  it('end the wait for a retry', async () => {
    const controller = new AbortController()
    const { fetch } = failingFetch([busy('50')])
    const client = connect({
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        setTimeout(() => controller.abort(), 50)
        return response
      },
    })
    await expect(client.get(FLAGS, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('end a list between two pages, and send nothing when they were aborted before', async () => {
    await createPlaylists('h', 'i')
    const { paths, fetch } = failingFetch([])
    const controller = new AbortController()
    const items = connect({ fetch }).list(PLAYLISTS, { query: { limit: 1 }, signal: controller.signal })
    await items.next()
    controller.abort()
    await expect(items.next()).rejects.toMatchObject({ name: 'AbortError' })
    const { query, startQuery, waitForQuery } = connect({ fetch })
    const options = { signal: controller.signal }
    for (const call of [
      () => query('select 1', options),
      () => startQuery('select 1', options),
      () => waitForQuery({ sql: 'select 1' }, options),
    ])
      await expect(call()).rejects.toMatchObject({ name: 'AbortError' })
    expect(paths).toHaveLength(1)
  })
})

describe('connection errors', () => {
  it('tell of a service that does not respond in time', async () => {
    const proxy = await startFaultProxy(service.url)
    await connect({ host: proxy.url }).get(FLAGS)
    proxy.setBehaviour('hangs')
    const error = await errorOf(connect({ host: proxy.url, timeoutMs: 2000, maxRetries: 0 }).get(FLAGS))
    await proxy.close()
    expect(error).toMatchObject({ code: 'timeout', status: null, detail: 'There was no response in 2000 ms.' })
  })

  it('tell of a host without a service, and keep the cause', async () => {
    const error = await errorOf(connect({ host: await findClosedPort(), maxRetries: 0 }).get(FLAGS))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      type: 'connection_error',
      code: 'unreachable',
      status: null,
      cause: expect.any(Error),
    })
    expect(error.detail).toMatch(/^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\.$/)
  })

  it.each([
    [new Response('<h1>Sign in</h1>'), /responded with status 200, but not as the service does/],
    [
      new Response(null, { status: 302, headers: { location: 'https://b.test/' } }),
      /redirects requests to https:\/\/b\.test\//,
    ],
    [Response.json({ error: 'no upstream' }, { status: 404 }), /responded with status 404/],
  ])('tell of another server', async (response, detail) => {
    const error = await errorOf(connect({ fetch: async () => response }).get(FLAGS))
    expect(error).toMatchObject({ code: 'not_the_service', detail: expect.stringMatching(detail) })
  })
})
