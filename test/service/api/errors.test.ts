import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'

/** Errors of the ingestion endpoints. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()
const kept = { event: 'kept', distinct_id: 'kept beside' }

/** Sends an event alone, in a batch with a valid one, and in an array; all requests succeed with 200. */
const expectSilentDrop = async (event: object, marker: string): Promise<void> => {
  const good = { ...kept, properties: { marker } }
  const { apiKey: token } = service
  for (const response of [
    await service.capture({ ...event, properties: { marker } }),
    await service.batch([{ ...event, properties: { marker } }, good]),
    await service.post('/e/', [
      { token, ...event, properties: { marker } },
      { token, ...good },
    ]),
    await service.batch([{ ...event, properties: { marker } }]),
  ]) {
    expect([response.status, response.body]).toEqual([200, { status: 1 }])
  }
  const rows = await service.queryStored(
    `select event, distinct_id from events where properties->>'marker' = '${marker}'`,
  )
  expect(rows).toEqual([
    ['kept', 'kept beside'],
    ['kept', 'kept beside'],
  ])
}

// API: | Event with no name | 200 returned; the event is not ingested |
test.each([
  ['left out', { distinct_id: 'u' }],
  ['null', { event: null, distinct_id: 'u' }],
  ['empty', { event: '', distinct_id: 'u' }],
  ['blank', { event: ' \t', distinct_id: 'u' }],
])('responds with 200 but does not store an event without a name (%s)', (variant, event) =>
  expectSilentDrop(event, `no name, ${variant}`),
)

// API: | Event with no distinct_id field | 200 returned; the event is not ingested |
test.each([
  ['left out', { event: 'e' }],
  ['null', { event: 'e', distinct_id: null }],
])('responds with 200 but does not store an event without distinct_id (%s)', (variant, event) =>
  expectSilentDrop(event, `no id, ${variant}`),
)

// API: | Event whose distinct_id is empty | 200 returned; the event is not ingested |
test.each([
  ['empty', { event: 'e', distinct_id: '' }],
  ['blank', { event: 'e', distinct_id: '  ' }],
])('responds with 200 but does not store an event with an empty distinct_id (%s)', (variant, event) =>
  expectSilentDrop(event, `id ${variant}`),
)

// API: | Payload or api_key fails basic validation on the ingestion endpoints | a failure response is returned |
test.each<[string, string | Uint8Array<ArrayBuffer>, number, string, string | null]>([
  ['/i/v0/e/', '', 400, 'empty_body', null],
  ['/i/v0/e/', '{"api_key":', 400, 'invalid_json', null],
  ['/i/v0/e/', 'null', 400, 'invalid_shape', null],
  ['/i/v0/e/', '"text"', 400, 'invalid_shape', null],
  ['/i/v0/e/', '{"event":"e","distinct_id":"u"}', 401, 'missing_api_key', 'api_key'],
  ['/i/v0/e/', '{"api_key":"wm_no","event":"e","distinct_id":"u"}', 401, 'invalid_api_key', 'api_key'],
  ['/i/v0/e/', '{"api_key":"KEY","event":5,"distinct_id":"u"}', 400, 'invalid_event', 'event'],
  ['/i/v0/e/', '{"api_key":"KEY","event":"e","distinct_id":[]}', 400, 'invalid_event', 'distinct_id'],
  ['/i/v0/e/', '{"api_key":"KEY","event":"e","distinct_id":"u","properties":5}', 400, 'invalid_event', 'properties'],
  ['/i/v0/e/', gzipSync('{"api_key":"KEY"}').subarray(0, 20), 400, 'invalid_gzip', null],
  ['/i/v0/e/', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400, 'invalid_utf8', null],
  ['/batch/', '[]', 401, 'missing_api_key', 'api_key'],
  ['/batch/', '{"api_key":"KEY"}', 400, 'missing_batch', 'batch'],
  ['/batch/', '{"api_key":"KEY","batch":{}}', 400, 'invalid_batch', 'batch'],
  ['/batch/', '{"batch":[]}', 401, 'missing_api_key', 'api_key'],
])('rejects at %s the body %j with %i %s', async (path, body, status, code, attr) => {
  const sent = typeof body === 'string' ? body.replace('KEY', service.apiKey) : body
  const response = await service.post(path, sent)
  expect(response).toMatchObject({
    status,
    body: { type: expect.any(String), code, detail: expect.any(String), attr },
  })
  expect(response.headers.get('content-type')).toContain('application/json')
})

test('stores nothing of a rejected request', async () => {
  const [before] = await service.queryStored('select count(*) from events')
  await service.post('/i/v0/e/', { api_key: service.apiKey, event: 'e', distinct_id: {} })
  await service.post('/e/', [
    { ...kept, token: service.apiKey },
    { ...kept, token: 'wm_other' },
  ])
  expect(await service.queryStored('select count(*) from events')).toEqual([before])
})
