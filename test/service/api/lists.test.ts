import { expect, test } from 'vitest'
import { createClient } from '../../../src/management/client.ts'
import type { Client } from '../../../src/management/client.ts'
import { waitForIndexer } from '../support/service-process.ts'
import { shareService } from '../support/shared-service.ts'

/** The lists of events, persons and groups of a real service with two projects. */

const service = shareService()

const EVENTS = '/api/environments/{project_id}/events/'
const PERSONS = '/api/environments/{project_id}/persons/'
const GROUPS = '/api/environments/{project_id}/groups/'

const clientOf = (projectId: string): Client =>
  createClient({ host: service.url, personalApiKey: service.personalApiKey, projectId })

/** Three events of the same person and group, with another plan in each project. */
const sendTo = async (apiKey: string, plan: string): Promise<void> => {
  const event = (name: string, properties: object) => ({
    event: name,
    properties: { distinct_id: 'ada', ...properties },
  })
  const batch = [
    event('viewed', { plan, $set: { plan } }),
    event('bought', { plan }),
    event('$groupidentify', { $group_type: 'company', $group_key: 'acme', $group_set: { plan } }),
  ]
  expect(await service.post('/batch/', { api_key: apiKey, batch })).toMatchObject({ status: 200 })
}

const readAll = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

test('each project lists its own events, persons and groups, page by page', async () => {
  const { project_id: otherId, api_token: otherKey } = await clientOf('1').post('/api/projects/', {
    body: { name: 'Blog' },
  })
  await sendTo(service.apiKey, 'pro')
  await sendTo(otherKey, 'free')
  await waitForIndexer(service.url)
  const shop = clientOf('1')
  const blog = clientOf(otherId)
  for (const [client, plan] of [
    [shop, 'pro'],
    [blog, 'free'],
  ] as const) {
    const events = await readAll(client.list(EVENTS, { query: { limit: 1 } }))
    expect(events.map(({ event }) => event).toSorted()).toEqual(['$groupidentify', 'bought', 'viewed'])
    expect(events.find(({ event }) => event === 'bought')).toMatchObject({
      distinct_id: 'ada',
      properties: { plan },
      person: { name: 'ada', properties: { plan }, distinct_ids: ['ada'] },
    })
    const [person, ...others] = await readAll(client.list(PERSONS))
    expect([person, others]).toMatchObject([{ properties: { plan } }, []])
    expect(await client.get(`${PERSONS}{id}/`, { path: { id: person!.id } })).toEqual(person)
    const groups = await readAll(client.list(GROUPS, { query: { group_type_index: 0, limit: 1 } }))
    expect(groups).toMatchObject([{ group_key: 'acme', group_properties: { plan } }])
    const group = await client.get(`${GROUPS}find/`, { query: { group_type_index: 0, group_key: 'acme' } })
    expect(group).toEqual(groups[0])
  }
  const [event] = await readAll(shop.list(EVENTS))
  expect(await shop.get(`${EVENTS}{id}/`, { path: { id: event!.id } })).toEqual(event)
  await expect(blog.get(`${EVENTS}{id}/`, { path: { id: event!.id } })).rejects.toMatchObject({ status: 404 })
  const [person] = await readAll(shop.list(PERSONS))
  await expect(blog.get(`${PERSONS}{id}/`, { path: { id: person!.id } })).rejects.toMatchObject({ status: 404 })
})
