import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'

/** The fields of a batch request. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

// API: | api_key | string | yes |
test('requires a valid project API key for a batch', async () => {
  const batch = [{ event: 'keyed', properties: { distinct_id: 'u' } }]
  expect(await service.post('/batch/', { api_key: service.apiKey, batch })).toMatchObject({
    status: 200,
    body: { status: 1 },
  })
  for (const api_key of [undefined, null, '', 7, 'wm_unknown']) {
    const response = await service.post('/batch/', { api_key, batch })
    expect([response.status, response.body.attr]).toEqual([401, 'api_key'])
  }
  expect(await service.queryStored("select count(*) from events where event = 'keyed'")).toEqual([[1]])
})

// API: | historical_migration | boolean | no | may be left out or false for real-time events; must be true for migrations |
test('accepts historical_migration as true, false or omitted, and rejects other types', async () => {
  const batch = (event: string) => [{ event, properties: { distinct_id: 'h' }, timestamp: '2020-01-01T00:00:00Z' }]
  expect((await service.batch(batch('left out'))).status).toBe(200)
  expect((await service.batch(batch('false'), { historical_migration: false })).status).toBe(200)
  expect((await service.batch(batch('true'), { historical_migration: true })).status).toBe(200)
  for (const historical_migration of ['true', 1, {}]) {
    expect(await service.batch(batch('wrong'), { historical_migration })).toMatchObject({
      status: 400,
      body: { code: 'invalid_historical_migration', attr: 'historical_migration' },
    })
  }
  expect(await service.queryStored("select event, historical from events where distinct_id = 'h' order by 1")).toEqual([
    ['false', false],
    ['left out', false],
    ['true', true],
  ])
})

// API: | batch | array of event objects | yes | each has event (string), properties (object), optional timestamp (ISO 8601) |
test('stores the valid events of a batch, and rejects a batch that is not an array', async () => {
  const batch = [
    { event: 'first', properties: { distinct_id: 'b', n: 1 }, timestamp: '2024-01-01T00:00:00Z' },
    { event: 'second', properties: { distinct_id: 'b', n: 2 } },
    { event: 'third', distinct_id: 'b', properties: { n: 3 }, uuid: randomUUID() },
  ]
  expect((await service.batch(batch)).status).toBe(200)
  expect((await service.batch([])).status).toBe(200)
  for (const wrong of [undefined, null, {}, 'text', 5]) {
    const response = await service.post('/batch/', { api_key: service.apiKey, batch: wrong })
    expect([response.status, response.body.attr]).toEqual([400, 'batch'])
  }
  // Malformed events do not affect the others.
  const mixed = [7, null, 'text', [], { event: 5, distinct_id: 'b' }, { event: 'kept', distinct_id: 'b' }]
  expect((await service.batch(mixed)).status).toBe(200)
  const rows = await service.queryStored(
    "select event, (properties->>'n')::int, timestamp < timestamptz '2024-01-02' from events where distinct_id = 'b' order by 1",
  )
  expect(rows).toEqual([
    ['first', 1, true],
    ['kept', null, false],
    ['second', 2, false],
    ['third', 3, false],
  ])
})

// API: "In a batch, the required `distinct_id` of an event is passed inside its `properties`."
test('reads the distinct id of a batched event in its properties or beside them', async () => {
  await service.batch([
    { event: 'placed', properties: { distinct_id: 'inside' } },
    { event: 'placed', distinct_id: 'at the top', properties: {} },
    { event: 'placed', distinct_id: 'both', properties: { distinct_id: 'the other' } },
    { event: 'placed', distinct_id: null, properties: { distinct_id: 'inside, with null at the top' } },
    { event: 'placed', properties: {} },
  ])
  const rows = await service.queryStored("select distinct_id from events where event = 'placed' order by 1")
  expect(rows.flat()).toEqual(['at the top', 'both', 'inside', 'inside, with null at the top'])
})
