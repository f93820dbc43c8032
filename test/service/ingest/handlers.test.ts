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
  expect(readEvents(row!)).toMatchObject([{ event: '$identify', distinctId: 'u', properties: { $set: { a: 1 } } }])
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
