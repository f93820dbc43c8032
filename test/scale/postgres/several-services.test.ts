import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseKeys, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { queryPostgres } from '../support/query-postgres.ts'
import { startOnPostgres } from '../support/start-on-postgres.ts'

/** All nodes know of a change within a second; a busy machine needs longer. */
const SOON = { timeout: 5_000 }

interface Event {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** Starts two services on one database, as if their events were in a store that both share. */
const startBoth = async (...options: readonly string[]) => {
  const { url } = await createEmptyDatabase()
  const folders = [createTempFolder(), createTempFolder()] as const
  const first = await startOnPostgres(folders[0], url, options)
  await queryPostgres(url, 'delete from inbox_mark')
  const second = await startOnPostgres(folders[1], url, options)
  const restartSecond = async (): Promise<ServiceProcess> => {
    await queryPostgres(url, 'delete from inbox_mark')
    return startOnPostgres(folders[1], url)
  }
  return { url, first, second, restartSecond, ...parseKeys(first.output()) }
}

test('what one service changes is decided by another within a second', async () => {
  const { first, second, apiKey, personalApiKey } = await startBoth()
  const post = (url: string, body: object): Promise<Response> =>
    fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const decide = async () => {
    const response = await post(`${second.url}/decide?v=3`, { api_key: apiKey, distinct_id: 'ada' })
    return (await response.json()).featureFlags
  }
  const change = async (method: string, path: string, body: object): Promise<number> => {
    const response = await fetch(`${first.url}/api/projects/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.status
  }
  expect(await decide()).toEqual({})
  const properties = [{ key: 'plan', type: 'person', value: 'pro' }]
  expect(await change('POST', 'feature_flags/', { key: 'new', filters: { groups: [{ properties }] } })).toBe(201)
  await expect.poll(decide, SOON).toEqual({ new: false })
  const event = { event: '$set', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } }
  expect((await post(`${first.url}/i/v0/e/`, { api_key: apiKey, ...event })).status).toBe(200)
  await waitForIndexer(first.url)
  await expect.poll(decide, SOON).toEqual({ new: true })
  expect(await change('PATCH', 'feature_flags/new/', { active: false })).toBe(200)
  await expect.poll(decide, SOON).toEqual({ new: false })
})

test('services share the limit of requests of a key', async () => {
  const { first, second, personalApiKey } = await startBoth('--max-key-requests-per-minute', '10')
  const ask = async ({ url }: ServiceProcess): Promise<number> =>
    (await fetch(`${url}/api/users/@me/`, { headers: { authorization: `Bearer ${personalApiKey}` } })).status
  for (let count = 0; count < 10; count++) expect(await ask(first)).toBe(200)
  expect(await ask(first)).toBe(429)
  // Too few requests to reach the limit by themselves.
  await expect.poll(() => ask(second), { timeout: 2500, interval: 300 }).toBe(429)
})

/** Events of few users, each of which sets a property of its own. */
const createEvents = (count: number): Event[] =>
  Array.from({ length: count }, (_, index) => {
    const user = `user ${index % 7}`
    const device = `device ${index % 31}`
    const kinds = [
      { event: '$identify', distinct_id: user, properties: { $anon_distinct_id: device } },
      { event: '$create_alias', distinct_id: device, properties: { alias: user } },
      { event: 'opened', distinct_id: device, properties: {} },
      { event: 'opened', distinct_id: user, properties: {} },
    ]
    const { properties, ...kind } = kinds[index % kinds.length]!
    return { ...kind, uuid: randomUUID(), properties: { ...properties, $set: { [`p${index}`]: index } } }
  })

test('no change of a person is lost when two services change the same ones and one is killed', async () => {
  const { url, first, second, restartSecond, apiKey } = await startBoth()
  let services: readonly ServiceProcess[] = [first, second]
  const send = async (node: number, batch: readonly Event[]): Promise<void> => {
    for (;;) {
      const body = JSON.stringify({ api_key: apiKey, batch })
      const response = await fetch(`${services[node]!.url}/batch/`, { method: 'POST', body }).catch(() => null)
      if (response?.status === 200) return
      await setTimeout(100)
    }
  }
  const events = createEvents(1_200)
  const halves = [0, 1].map((node) => events.filter((_, index) => Math.floor(index / 4) % 2 === node))
  const sendAll = async (node: number): Promise<void> => {
    for (let sent = 0; sent < halves[node]!.length; sent += 10) {
      if (node === 1 && sent === 300) {
        await second.end('SIGKILL')
        services = [first, await restartSecond()]
      }
      await send(node, halves[node]!.slice(sent, sent + 10))
    }
  }
  await Promise.all([sendAll(0), sendAll(1)])
  for (const service of services) await waitForIndexer(service.url)

  const rows = await queryPostgres(
    url,
    `select map.distinct_id, person.properties from person_distinct_ids as map
      join persons as person on person.project_id = map.project_id and person.id = map.person_id`,
  )
  const properties = new Map(rows.map((row) => [row['distinct_id'], JSON.parse(String(row['properties']))]))
  const lost = events.filter(({ distinct_id, properties: { $set, alias } }) => {
    const [name] = Object.keys($set as object)
    // The properties of an alias belong to the person that stays.
    return !Object.hasOwn(properties.get(alias ?? distinct_id) ?? {}, name!)
  })
  expect(lost).toEqual([])
  const [counts] = await queryPostgres(
    url,
    'select (select count(*)::int from persons) as persons, (select count(distinct person_id)::int from person_distinct_ids) as mapped',
  )
  expect(counts!['persons']).toBe(counts!['mapped'])
})
