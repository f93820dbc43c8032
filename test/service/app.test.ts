import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FlagRequest } from '../../src/service/flags/decide/flag-request.ts'
import { withDefaults } from '../../src/service/config.ts'
import { QueryError } from '../../src/service/indexer/query-error.ts'
import { readEvents } from '../../src/service/ingest/read-events.ts'
import type { Inbox } from '../../src/service/store/inbox/inbox.ts'
import { openApp } from './support/app.ts'
import { createMemoryIndexer } from './support/memory-indexer.ts'

type App = Awaited<ReturnType<typeof openApp>>
const NO_FLAGS = { results: [], isPaused: false, minimalFlagCalledEvents: false, requestId: 'r', evaluatedAt: 1 }

const storedNames = ({ inbox }: App) =>
  inbox.readAfter(0, 100, 1e9).flatMap((row) => readEvents(row).map(({ event }) => event))
const post = ({ app }: App, url: string, payload: string | Buffer | object, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url, payload, headers })

test.each(['/i/v0/e/', '/i/v0/e', '/e/', '/capture/', '/track/'])('accepts one event at %s', async (url) => {
  const service = await openApp()
  const response = await post(service, url, { api_key: service.project.apiKey, event: 'a', distinct_id: 'u' })
  expect([response.statusCode, response.json()]).toEqual([200, { status: 1 }])
  expect(storedNames(service)).toEqual(['a'])
})

test('stores the address and time of arrival of a gzip batch sent as text/plain', async () => {
  const service = await openApp()
  const batch = [
    { event: 'a', distinct_id: 'u' },
    { event: 'b', properties: { distinct_id: 'u' } },
  ]
  const body = gzipSync(JSON.stringify({ api_key: service.project.apiKey, batch }))
  const response = await post(service, '/batch/', body, { 'content-type': 'text/plain' })
  expect(response.statusCode).toBe(200)
  expect(storedNames(service)).toEqual(['a', 'b'])
  expect(service.inbox.readAfter(0, 1, 1)[0]).toMatchObject({
    projectId: service.project.id,
    receivedAt: 1_800_000_000_000,
    address: '127.0.0.1',
  })
})

test.each([
  ['an event without a name', { distinct_id: 'u' }],
  ['an event without a distinct id', { event: 'a' }],
  ['an event with an empty distinct id', { event: 'a', distinct_id: '' }],
])('drops %s and still responds with 200', async (_what, event) => {
  const service = await openApp()
  const api_key = service.project.apiKey
  const singleResponse = await post(service, '/i/v0/e/', { api_key, ...event })
  const batchResponse = await post(service, '/batch/', { api_key, batch: [event, { event: 'kept', distinct_id: 'u' }] })
  expect([singleResponse.statusCode, batchResponse.statusCode]).toEqual([200, 200])
  expect(storedNames(service)).toEqual(['kept'])
})

test.each([
  ['/batch/', '{"api_key":', 400, 'invalid_json', null],
  ['/batch/', '', 400, 'empty_body', null],
  ['/batch/', '{"batch":[]}', 401, 'missing_api_key', 'api_key'],
  ['/batch/', '{"api_key":"wm_unknown","batch":[]}', 401, 'invalid_api_key', 'api_key'],
  ['/batch/', '{"api_key":"KEY","event":"a","distinct_id":"u"}', 400, 'missing_batch', 'batch'],
  ['/batch/', '{"api_key":"KEY","batch":5}', 400, 'invalid_batch', 'batch'],
  ['/i/v0/e/', '{"api_key":"KEY","event":5,"distinct_id":"u"}', 400, 'invalid_event', 'event'],
  ['/i/v0/e/', '{"api_key":"KEY","event":"a","distinct_id":"u","properties":[]}', 400, 'invalid_event', 'properties'],
  ['/decide', '[]', 400, 'invalid_shape', null],
  ['/decide', 'null', 400, 'invalid_shape', null],
  ['/batch/', 'null', 400, 'invalid_shape', null],
  ['/e/', '1', 400, 'invalid_shape', null],
  ['/decide', '{"distinct_id":"u"}', 401, 'missing_api_key', 'api_key'],
])('rejects a POST to %s with body %j: %i %s', async (url, body, status, code, attr) => {
  const service = await openApp()
  const response = await post(service, url, body.replace('KEY', service.project.apiKey))
  expect(response.statusCode).toBe(status)
  expect(response.json()).toEqual({ type: expect.any(String), code, detail: expect.any(String), attr })
  expect(service.inbox.backlogAfter(0).rows).toBe(0)
  expect(service.errors).toEqual([])
})

test('drops malformed events of a batch and keeps the others', async () => {
  const service = await openApp()
  const batch = [7, null, { event: 5, distinct_id: 'u' }, { event: 'kept', distinct_id: 'u' }]
  expect((await post(service, '/batch/', { api_key: service.project.apiKey, batch })).statusCode).toBe(200)
  expect(storedNames(service)).toEqual(['kept'])
})

test('responds to any JSON with 200 or 4xx, and can read every row that it stores', async () => {
  const service = await openApp()
  const api_key = service.project.apiKey
  const orAnyJson = <T>(valid: fc.Arbitrary<T>) => fc.oneof(valid, fc.jsonValue())
  const event = fc.record(
    {
      event: orAnyJson(fc.string()),
      distinct_id: orAnyJson(fc.string()),
      timestamp: orAnyJson(fc.date({ noInvalidDate: true }).map((date) => date.toISOString())),
      offset: orAnyJson(fc.integer()),
      uuid: orAnyJson(fc.uuid()),
      properties: orAnyJson(fc.dictionary(fc.string(), fc.jsonValue())),
      $set: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    event.map((single) => ({ api_key, ...single })),
    fc.array(orAnyJson(event)).map((batch) => ({ api_key, batch, sent_at: 5 })),
    // An array of events; the API key is in the first one.
    fc.tuple(fc.constant({ token: api_key, event: 'e' }), event, event),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('/batch/', '/e/', '/decide'), async (value, url) => {
      const rowsBefore = service.inbox.backlogAfter(0).rows
      const response = await post(service, url, JSON.stringify(value))
      expect(response.statusCode === 200 || (response.statusCode >= 400 && response.statusCode < 500)).toBe(true)
      for (const row of service.inbox.readAfter(rowsBefore, 10, 1e9)) {
        expect(response.statusCode).toBe(200)
        for (const { timestamp } of readEvents(row)) expect(Number.isSafeInteger(timestamp)).toBe(true)
        expect(readEvents(row).length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 300 },
  )
})

test('rejects a body that is too large before or after decompression', async () => {
  const service = await openApp({ config: withDefaults({ maxBodyBytes: 2000 }) })
  for (const body of ['x'.repeat(2000), gzipSync(Buffer.alloc(2000))]) {
    const response = await post(service, '/batch/', body)
    expect(response.statusCode).toBe(413)
    expect(response.json()).toMatchObject({ code: 'body_too_large' })
  }
})

test('rejects a flag request of 1 MiB or more', async () => {
  const service = await openApp()
  const body = JSON.stringify({ api_key: service.project.apiKey, distinct_id: 'a'.repeat(1024 * 1024) })
  for (const path of ['/decide/?v=3', '/flags/?v=2'])
    for (const payload of [body, gzipSync(body)])
      expect((await post(service, path, payload)).json()).toMatchObject({ code: 'body_too_large' })
})

test('rejects an unsupported encoding', async () => {
  const response = await post(await openApp(), '/batch/', 'x', { 'content-encoding': 'br' })
  expect([response.statusCode, response.json().code]).toEqual([415, 'unsupported_encoding'])
})

test('responds with 503 and Retry-After while it cannot store events', async () => {
  const failingInbox: Inbox = { ...(await openApp()).inbox, append: () => Promise.reject(new Error('disk full')) }
  const withFullInbox = await openApp({ isFull: () => true })
  const withBrokenDisk = await openApp({ inbox: failingInbox })
  for (const [service, code] of [
    [withFullInbox, 'inbox_full'],
    [withBrokenDisk, 'inbox_unavailable'],
  ] as const) {
    const response = await post(service, '/i/v0/e/', { api_key: service.project.apiKey, event: 'a', distinct_id: 'u' })
    expect([response.statusCode, response.json().code, response.headers['retry-after']]).toEqual([503, code, '5'])
  }
  expect(withBrokenDisk.errors).toHaveLength(1)
})

test('responds to an OPTIONS request that has no preflight headers', async () => {
  const { app } = await openApp()
  expect((await app.inject({ method: 'OPTIONS', url: '/batch/' })).statusCode).toBe(204)
})

test('sends the JSON error for unknown paths, wrong methods and malformed URLs', async () => {
  const { app } = await openApp()
  const unknown = await app.inject({ method: 'GET', url: '/nothing' })
  expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'not_found'])
  const wrongMethod = await app.inject({ method: 'GET', url: '/batch/' })
  expect([wrongMethod.statusCode, wrongMethod.json().code, wrongMethod.headers['allow']]).toEqual([
    405,
    'method_not_allowed',
    'POST',
  ])
  for (const method of ['POST', 'PUT', 'DELETE'] as const) {
    const health = await app.inject({ method, url: '/healthz' })
    expect([health.statusCode, health.json().code, health.headers['allow']]).toEqual([405, 'method_not_allowed', 'GET'])
  }
  for (const url of ['/%c0%af', '/%ff']) {
    const broken = await app.inject({ method: 'GET', url, headers: { origin: 'https://shop.example' } })
    expect([broken.statusCode, broken.json().type, broken.json().code]).toEqual([
      400,
      'invalid_request',
      'malformed_url',
    ])
    expect(broken.headers['access-control-allow-origin']).toBe('*')
  }
})

test('sends the JSON error for requests that are not HTTP', async () => {
  const { app } = await openApp()
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const response = await new Promise<string>((resolve, reject) => {
    let received = ''
    connect(port, '127.0.0.1')
      .on('data', (chunk) => (received += String(chunk)))
      .on('close', () => resolve(received))
      .on('error', reject)
      .end('hello\r\n\r\n')
  })
  expect(response).toMatch(/^HTTP\/1.1 400 .*"code":"malformed_request"/s)
})

test('logs an internal error and sends its client no details', async () => {
  const failure = new Error('secret detail')
  const service = await openApp({ decide: () => Promise.reject(failure) })
  const response = await post(service, '/decide?v=3', { api_key: service.project.apiKey, distinct_id: 'u' })
  expect([response.statusCode, response.json().code]).toEqual([500, 'internal_error'])
  expect(response.body).not.toContain('secret')
  expect(service.errors).toEqual([failure])
})

test.each(['/decide?v=3', '/decide/?v=3', '/flags?v=2', '/flags/?v=2'])(
  'evaluates flags at %s, from JSON and from a form',
  async (url) => {
    const calls: FlagRequest[] = []
    const service = await openApp({
      decide: (call) => {
        calls.push(call)
        return Promise.resolve(NO_FLAGS)
      },
    })
    const body = { token: service.project.apiKey, distinct_id: 'u' }
    const form = new URLSearchParams({ data: Buffer.from(JSON.stringify(body)).toString('base64') }).toString()
    await post(service, url, body)
    await post(service, url, form, { 'content-type': 'application/x-www-form-urlencoded' })
    const call = { projectId: service.project.id, body, connectionIp: '127.0.0.1', forwardedIp: undefined }
    expect(calls).toEqual([call, call])
  },
)

// `HTTP_X_FORWARDED_FOR` is part of the protocol: a server sends its user's IP address in it. It needs no trusted proxy.
test.each([
  [false, {}, '127.0.0.1', undefined],
  [false, { HTTP_X_FORWARDED_FOR: '192.0.2.7:80, 192.0.2.8' }, '127.0.0.1', '192.0.2.7'],
  [false, { HTTP_X_FORWARDED_FOR: 'nowhere' }, '127.0.0.1', undefined],
  [false, { 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1', undefined],
  [true, { 'x-forwarded-for': '192.0.2.7' }, undefined, '192.0.2.7'],
  [true, { 'x-forwarded-for': '192.0.2.6, 192.0.2.7' }, undefined, '192.0.2.7'],
  [0, { 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1', undefined],
  [2, { 'x-forwarded-for': '192.0.2.5, 192.0.2.6, 192.0.2.7' }, undefined, '192.0.2.6'],
  [['loopback'], { 'x-forwarded-for': '192.0.2.6, 192.0.2.7' }, undefined, '192.0.2.7'],
  [['127.0.0.0/8', '192.0.2.7'], { 'x-forwarded-for': '192.0.2.6, 192.0.2.7' }, undefined, '192.0.2.6'],
  [['10.0.0.0/8'], { 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1', undefined],
  [true, { 'x-forwarded-for': '192.0.2.7', HTTP_X_FORWARDED_FOR: '::ffff:192.0.2.9' }, undefined, '192.0.2.9'],
])('reads the client IP address with trustProxy %s from the headers %j', async (trustProxy, headers, ...expected) => {
  const calls: FlagRequest[] = []
  const service = await openApp({
    config: withDefaults({ trustProxy }),
    decide: (call) => {
      calls.push(call)
      return Promise.resolve(NO_FLAGS)
    },
  })
  await post(service, '/decide', { api_key: service.project.apiKey, distinct_id: 'u' }, headers)
  expect(calls.map(({ connectionIp, forwardedIp }) => [connectionIp, forwardedIp])).toEqual([expected])
})

test.each<Record<string, string>>([
  { 'content-type': 'json' },
  { 'content-type': 'application/csv; charset' },
  { 'content-type': '/' },
  { 'content-encoding': 'GZIP' },
  { 'content-encoding': 'x-gzip' },
])('recognises a body by its content despite the header %j', async (headers) => {
  const service = await openApp()
  const event = { api_key: service.project.apiKey, event: 'a', distinct_id: 'u' }
  expect((await post(service, '/e/', gzipSync(JSON.stringify(event)), headers)).statusCode).toBe(200)
  expect((await post(service, '/decide', JSON.stringify(event), headers)).statusCode).toBe(200)
  expect(storedNames(service)).toEqual(['a'])
})

test('runs a query sent as a string or an object, and describes it as a finished job', async () => {
  const indexer = createMemoryIndexer(({ projectId, sql }) =>
    Promise.resolve({ columns: ['p', 's'], types: ['INTEGER', 'VARCHAR'], rows: [[projectId, sql]], hasMore: true }),
  )
  const service = await openApp({ indexer })
  for (const query of [
    'select 1',
    { kind: 'HogQLQuery', query: 'select 1' },
    { kind: 'SQLQuery', query: 'select 1' },
  ]) {
    const response = await post(
      service,
      `/api/environments/${service.project.id}/query/`,
      { query },
      { authorization: `Bearer ${service.personalApiKey}` },
    )
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      columns: ['p', 's'],
      results: [[service.project.id, 'select 1']],
      hasMore: true,
      query_status: { complete: true, error: false, query_async: false, team_id: service.project.id, task_id: null },
    })
  }
})

test.each([
  [{}, 400, 'missing_query'],
  [{ query: ' ' }, 400, 'missing_query'],
  [{ query: { kind: 'MagicQuery', query: 'select 1' } }, 400, 'unknown_query_kind'],
])('rejects the query body %j', async (body, status, code) => {
  const service = await openApp()
  const response = await post(service, `/api/projects/${service.project.id}/query`, body, {
    authorization: `Bearer ${service.personalApiKey}`,
  })
  expect([response.statusCode, response.json().code]).toEqual([status, code])
})

test.each([
  ['syntax', 400, 'query_syntax'],
  ['forbidden', 400, 'query_forbidden'],
  ['timeout', 504, 'timeout'],
  ['store_unavailable', 503, 'store_unavailable'],
] as const)('maps the query error %s to %i', async (code, status, expectedCode) => {
  const service = await openApp({
    indexer: createMemoryIndexer(() => Promise.reject(new QueryError(code, 'A sentence.'))),
  })
  const response = await post(
    service,
    `/api/environments/${service.project.id}/query/`,
    { query: 'select' },
    { authorization: `Bearer ${service.personalApiKey}` },
  )
  expect([response.statusCode, response.json().code, response.json().detail]).toEqual([
    status,
    expectedCode,
    'A sentence.',
  ])
})

test('requires a personal API key of the project with the scope for queries', async () => {
  const service = await openApp()
  const sendQuery = (projectId: number, authorization?: string) =>
    post(
      service,
      `/api/environments/${projectId}/query/`,
      { query: 'select 1' },
      authorization === undefined ? {} : { authorization },
    )
  const { id } = service.project
  expect((await sendQuery(id)).json().code).toBe('not_authenticated')
  expect((await sendQuery(id, service.personalApiKey)).json().code).toBe('not_authenticated')
  expect((await sendQuery(id, `Bearer ${service.project.apiKey}`)).json().code).toBe('invalid_personal_api_key')
  expect((await sendQuery(id + 1, `Bearer ${service.personalApiKey}`)).statusCode).toBe(404)
  await service.metadata.updateTable('personal_api_keys').set({ scopes: '["feature_flag:read"]' }).execute()
  expect((await sendQuery(id, `Bearer ${service.personalApiKey}`)).statusCode).toBe(403)
})

test('is ready by /readyz while events are acknowledged, although the store fails', async () => {
  const service = await openApp()
  const ready = () => service.app.inject({ method: 'GET', url: '/readyz' })
  service.indexer.fail('ClickHouse is away.')
  expect((await service.app.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(503)
  expect((await ready()).statusCode).toBe(200)
  expect((await ready()).headers['cache-control']).toBe('no-store')
  const full = await openApp({ isFull: () => true })
  const refusing = await full.app.inject({ method: 'GET', url: '/readyz' })
  expect([refusing.statusCode, refusing.json().status]).toEqual([503, 'failing'])
})

test('reports failing parts and the backlog of the indexer in /healthz', async () => {
  let now = 1_800_000_000_000
  const service = await openApp({ now: () => now })
  const health = () => service.app.inject({ method: 'GET', url: '/healthz' })
  await post(service, '/e/', { api_key: service.project.apiKey, event: 'a', distinct_id: 'u' })
  now += 2000
  expect((await health()).json()).toEqual({
    status: 'ok',
    inbox: { ok: true, detail: null },
    metadata: { ok: true, detail: null },
    store: { ok: true, detail: null },
    indexer: { behindEvents: 1, behindRows: 1, behindSeconds: 2, rejected: 0 },
    events: {
      dropped: { no_event_name: 0, no_distinct_id: 0, malformed: 0, id_too_long: 0, too_large: 0 },
      cut: { eventNames: 0, properties: 0, groups: 0 },
    },
    bodies: { heldBytes: 0, limitBytes: 256 * 2 ** 20, waiting: 0 },
  })
  service.indexer.moveTo(1)
  service.indexer.fail('It does not open.')
  now += 2000
  const failing = await health()
  expect(failing.statusCode).toBe(503)
  expect(failing.json()).toMatchObject({
    status: 'failing',
    store: { ok: false, detail: 'It does not open.' },
    indexer: { behindEvents: 0, behindRows: 0, behindSeconds: 0, rejected: 0 },
  })
})
