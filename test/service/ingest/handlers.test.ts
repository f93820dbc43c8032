import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents } from '../../../src/service/ingest/events.ts'
import { openApp } from '../support/app.ts'

const event = { event: 'a', distinct_id: 'u' }

test('keeps the address of a sender, unless it asks with ip=0 that it is not', async () => {
  const { app, inbox, project } = await openApp()
  for (const url of ['/e/?ip=1', '/e/', '/e/?ip=0', '/batch/?ip=0'])
    await app.inject({ method: 'POST', url, payload: { api_key: project.apiKey, batch: [event] } })
  const addresses = inbox.readAfter(0, 10, 1e9).map(({ address }) => address)
  expect(addresses).toEqual(['127.0.0.1', '127.0.0.1', null, null])
})

test('remembers of people updates what they are, so that they are read the same again', async () => {
  const { app, inbox, project } = await openApp()
  const payload = { $token: project.apiKey, $distinct_id: 'u', $set: { a: 1 } }
  await app.inject({ method: 'POST', url: '/engage/', payload })
  const [row] = inbox.readAfter(0, 10, 1e9)
  expect(readEvents(row!)).toMatchObject([{ event: '$set', distinctId: 'u', properties: { $set: { a: 1 } } }])
})

test('stores nothing over the quota but history, and answers so that senders pause', async () => {
  const taken: number[] = []
  const quota = { isUsedUp: () => true, taken: (_project: unknown, row: number) => void taken.push(row) }
  const { app, inbox, project } = await openApp({ quota })
  const post = async (url: string, body: object) => {
    const answer = await app.inject({ method: 'POST', url, payload: { api_key: project.apiKey, ...body } })
    return [answer.statusCode, answer.json()]
  }
  const limited = [200, { status: 1, quota_limited: ['events'] }]
  expect(await post('/i/v0/e/', event)).toEqual(limited)
  expect(await post('/batch/', { batch: [event, event] })).toEqual(limited)
  expect(await post('/engage/', { $distinct_id: 'u', $set: { a: 1 } })).toEqual(limited)
  expect(inbox.backlogAfter(0).rows).toBe(0)
  // What is wrong is told, over the quota too.
  expect((await post('/i/v0/e/', { event: 5, distinct_id: 'u' }))[0]).toBe(400)
  const history = { batch: [{ ...event, timestamp: '2020-01-01' }], historical_migration: true }
  expect(await post('/batch/', history)).toEqual([200, { status: 1 }])
  expect([inbox.backlogAfter(0).rows, taken]).toEqual([1, []])
})

test('answers 200 for a batch with ill-formed events, stores the others, and tells the operator of them', async () => {
  const { app, inbox, project, warnings } = await openApp()
  const send = (batch: readonly unknown[]) =>
    app.inject({ method: 'POST', url: '/batch/', payload: { api_key: project.apiKey, batch } })
  let deep: object = {}
  for (let level = 0; level < 200; level++) deep = { deep }
  const answers = [
    await send([event, { ...event, properties: 'x' }, { ...event, event: 5 }, 'x']),
    await send([{ ...event, distinct_id: ['u'] }]),
    await send([{ ...event, properties: deep }, { distinct_id: 'u' }, event]),
  ]
  expect(answers.map((answer) => [answer.statusCode, answer.json()])).toEqual(answers.map(() => [200, { status: 1 }]))
  const rows = inbox.readAfter(0, 10, 1e9)
  expect(rows.flatMap((row) => readEvents(row))).toHaveLength(2)
  expect(warnings).toEqual([
    `Project ${project.id}: 3 events in batches dropped since this was last said; the latest: "properties" must be an object.`,
  ])
})

test('answers any JSON with 200 or a 4xx, and what it keeps can always be read', async () => {
  const { app, inbox, project, errors } = await openApp()
  const field = <T>(good: fc.Arbitrary<T>) => fc.oneof(good, fc.jsonValue())
  const update = fc.record(
    {
      $token: fc.constant(project.apiKey),
      $distinct_id: field(fc.string()),
      $set: field(fc.dictionary(fc.string(), fc.jsonValue())),
      $set_once: field(fc.dictionary(fc.string(), fc.jsonValue())),
      $unset: field(fc.array(fc.string())),
      properties: field(fc.record({ $set: fc.jsonValue() })),
      timestamp: field(fc.date({ noInvalidDate: true }).map((date) => date.toISOString())),
      historical_migration: field(fc.boolean()),
    },
    { requiredKeys: ['$token'] },
  )
  const body = fc.oneof(
    update,
    fc.array(update),
    fc.array(field(update)).map((batch) => ({ $token: project.apiKey, batch, historical_migration: true })),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('/engage/', '/s/', '/batch/'), async (value, url) => {
      const last = inbox.backlogAfter(0).rows
      const answer = await app.inject({ method: 'POST', url, payload: JSON.stringify(value) })
      expect(answer.statusCode === 200 || (answer.statusCode >= 400 && answer.statusCode < 500)).toBe(true)
      for (const row of inbox.readAfter(last, 10, 1e9)) {
        expect(answer.statusCode).toBe(200)
        expect(readEvents(row).length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 300 },
  )
  expect(errors).toEqual([])
})

test('tells an unknown sender of its key, not of what else is wrong', async () => {
  const { app, project } = await openApp()
  const bad = { event: 5, distinct_id: 'u' }
  const code = async (api_key: string) => {
    const answer = await app.inject({ method: 'POST', url: '/i/v0/e/', payload: { api_key, ...bad } })
    return [answer.statusCode, answer.json().code]
  }
  expect(await code('wm_unknown')).toEqual([401, 'invalid_api_key'])
  expect(await code(project.apiKey)).toEqual([400, 'invalid_event'])
})
