import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents } from '../../../src/service/ingest/read-events.ts'
import { openApp } from '../support/app.ts'

const event = { event: 'a', distinct_id: 'u' }

test('stores the IP address of a sender unless the query has ip=0', async () => {
  const { app, inbox, project } = await openApp()
  for (const url of ['/e/?ip=1', '/e/', '/e/?ip=0', '/batch/?ip=0'])
    await app.inject({ method: 'POST', url, payload: { api_key: project.apiKey, batch: [event] } })
  const addresses = inbox.readAfter(0, 10, 1e9).map(({ address }) => address)
  expect(addresses).toEqual(['127.0.0.1', '127.0.0.1', null, null])
})

test('stores with the row that its body contains person updates', async () => {
  const { app, inbox, project } = await openApp()
  const payload = { $token: project.apiKey, $distinct_id: 'u', $set: { a: 1 } }
  await app.inject({ method: 'POST', url: '/engage/', payload })
  const [row] = inbox.readAfter(0, 10, 1e9)
  expect(readEvents(row!)).toMatchObject([{ event: '$set', distinctId: 'u', properties: { $set: { a: 1 } } }])
})

test('stores only migrations above the quota, and tells senders to pause', async () => {
  const recordedRows: number[] = []
  const quota = { isExceeded: () => true, recordRow: (_project: unknown, row: number) => void recordedRows.push(row) }
  const { app, inbox, project } = await openApp({ quota })
  const post = async (url: string, body: object) => {
    const response = await app.inject({ method: 'POST', url, payload: { api_key: project.apiKey, ...body } })
    return [response.statusCode, response.json()]
  }
  const limitedResponse = [200, { status: 1, quota_limited: ['events'] }]
  expect(await post('/i/v0/e/', event)).toEqual(limitedResponse)
  expect(await post('/batch/', { batch: [event, event] })).toEqual(limitedResponse)
  expect(await post('/engage/', { $distinct_id: 'u', $set: { a: 1 } })).toEqual(limitedResponse)
  expect(inbox.backlogAfter(0).rows).toBe(0)
  // Errors are reported above the quota, too.
  expect((await post('/i/v0/e/', { event: 5, distinct_id: 'u' }))[0]).toBe(400)
  const history = { batch: [{ ...event, timestamp: '2020-01-01' }], historical_migration: true }
  expect(await post('/batch/', history)).toEqual([200, { status: 1 }])
  expect([inbox.backlogAfter(0).rows, recordedRows]).toEqual([1, []])
})

test('accepts a batch without its malformed events, and logs a warning', async () => {
  const { app, inbox, project, warnings } = await openApp()
  const send = (batch: readonly unknown[]) =>
    app.inject({ method: 'POST', url: '/batch/', payload: { api_key: project.apiKey, batch } })
  let deep: object = {}
  for (let level = 0; level < 200; level++) deep = { deep }
  const responses = [
    await send([event, { ...event, properties: 'x' }, { ...event, event: 5 }, 'x']),
    await send([{ ...event, distinct_id: ['u'] }]),
    await send([{ ...event, properties: deep }, { distinct_id: 'u' }, event]),
  ]
  expect(responses.map((response) => [response.statusCode, response.json()])).toEqual(
    responses.map(() => [200, { status: 1 }]),
  )
  const rows = inbox.readAfter(0, 10, 1e9)
  expect(rows.flatMap((row) => readEvents(row))).toHaveLength(2)
  expect(warnings).toEqual([
    `Project ${project.id}, since the last report: 3 events not stored (malformed 3). The latest reason: "properties" must be an object.`,
  ])
})

test('responds to any JSON with 200 or 4xx, and can read every row that it stores', async () => {
  const { app, inbox, project, errors } = await openApp()
  const orAnyJson = <T>(valid: fc.Arbitrary<T>) => fc.oneof(valid, fc.jsonValue())
  const update = fc.record(
    {
      $token: fc.constant(project.apiKey),
      $distinct_id: orAnyJson(fc.string()),
      $set: orAnyJson(fc.dictionary(fc.string(), fc.jsonValue())),
      $set_once: orAnyJson(fc.dictionary(fc.string(), fc.jsonValue())),
      $unset: orAnyJson(fc.array(fc.string())),
      properties: orAnyJson(fc.record({ $set: fc.jsonValue() })),
      timestamp: orAnyJson(fc.date({ noInvalidDate: true }).map((date) => date.toISOString())),
      historical_migration: orAnyJson(fc.boolean()),
    },
    { requiredKeys: ['$token'] },
  )
  const body = fc.oneof(
    update,
    fc.array(update),
    fc.array(orAnyJson(update)).map((batch) => ({ $token: project.apiKey, batch, historical_migration: true })),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('/engage/', '/s/', '/batch/'), async (value, url) => {
      const last = inbox.backlogAfter(0).rows
      const response = await app.inject({ method: 'POST', url, payload: JSON.stringify(value) })
      expect(response.statusCode === 200 || (response.statusCode >= 400 && response.statusCode < 500)).toBe(true)
      for (const row of inbox.readAfter(last, 10, 1e9)) {
        expect(response.statusCode).toBe(200)
        expect(readEvents(row).length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 300 },
  )
  expect(errors).toEqual([])
})

test('reports an unknown API key before any other error', async () => {
  const { app, project } = await openApp()
  const malformed = { event: 5, distinct_id: 'u' }
  const code = async (api_key: string) => {
    const response = await app.inject({ method: 'POST', url: '/i/v0/e/', payload: { api_key, ...malformed } })
    return [response.statusCode, response.json().code]
  }
  expect(await code('wm_unknown')).toEqual([401, 'invalid_api_key'])
  expect(await code(project.apiKey)).toEqual([400, 'invalid_event'])
})
