import { randomUUID } from 'node:crypto'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../support/until.ts'
import { caughtUp, keysIn, queryRows, startService } from '../support/service-process.ts'
import { withSqlite } from '../support/sqlite.ts'
import { tempFolder } from '../support/temp-folder.ts'

const openService = async (folder = tempFolder(), keys?: ReturnType<typeof keysIn>) => {
  const { url, output, end } = await startService(folder)
  const { apiKey, personalApiKey } = keys ?? keysIn(output())
  const post = async (path: string, body: object | Uint8Array): Promise<Response> => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify({ api_key: apiKey, ...body }),
    })
    if (!answer.ok) throw new Error(`${path} ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const capture = async (event: string, distinct_id: string, properties: object): Promise<void> => {
    await (await post('/i/v0/e/', { event, distinct_id, properties })).text()
  }
  const makeFlag = async (definition: object): Promise<void> => {
    const answer = await fetch(`${url}/api/environments/1/feature_flags/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: JSON.stringify(definition),
    })
    expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
  }
  const isOn = async (flag: string, distinct_id: string, groups = {}): Promise<boolean> => {
    const answer = await post('/decide?v=3', { distinct_id, groups })
    return (await answer.json()).featureFlags[flag] === true
  }
  const people = async (): Promise<unknown> =>
    (await queryRows(url, personalApiKey, 'SELECT count(DISTINCT person_id) FROM events'))[0]?.[0]
  return { url, apiKey, personalApiKey, end, output, capture, makeFlag, isOn, people, post }
}

type Service = Awaited<ReturnType<typeof openService>>

/** Milliseconds until a condition holds, with a look every 10 ms; stops looking after 5 seconds. */
const elapsedUntil = async (holds: () => Promise<boolean>): Promise<number> => {
  const start = performance.now()
  while (!(await holds()) && performance.now() - start < 5_000) await new Promise((resolve) => setTimeout(resolve, 10))
  return performance.now() - start
}

/** About 1,000 events of 200 people each second, as browsers send them, until the test has ended. */
const startSteadyLoad = ({ apiKey, post }: Service): void => {
  const sending = new Set<Promise<unknown>>()
  const send = async (): Promise<void> => {
    const batch = Array.from({ length: 50 }, (_, n) => ({
      uuid: randomUUID(),
      event: '$pageview',
      distinct_id: `load ${(n * 7) % 200}`,
      properties: { $current_url: 'https://example.com/', text: 'x'.repeat(500), $set: { n } },
    }))
    const answer = await post('/batch/', gzipSync(JSON.stringify({ api_key: apiKey, batch })))
    await answer.text()
  }
  const timer = setInterval(() => {
    const one = send().catch(() => undefined)
    sending.add(one)
    void one.finally(() => sending.delete(one))
  }, 50)
  onTestFinished(async () => {
    clearInterval(timer)
    await Promise.all(sending)
  })
}

const PRO = [{ key: 'plan', operator: 'exact', value: 'pro', type: 'person' }]
const LARGE = [{ key: 'seats', operator: 'gt', value: 10, type: 'group', group_type_index: 0 }]

/** The longest time, in milliseconds, from an acknowledged event until flags see the properties that it set. */
const longestUntilSeen = async (service: Service, rounds: number): Promise<number> => {
  let longest = 0
  for (let round = 0; round < rounds; round++) {
    const [anonymous, user, company] = [`anonymous ${round}`, `user ${round}`, `company ${round}`]
    await service.capture('$pageview', anonymous, { $process_person_profile: false })
    await service.capture('$identify', user, { $anon_distinct_id: anonymous, $set: { plan: 'pro' } })
    const person = await elapsedUntil(() => service.isOn('for-pros', user))
    // The id from before is the same person by now.
    expect(await service.isOn('for-pros', anonymous)).toBe(true)
    await service.capture('$groupidentify', user, {
      $group_type: 'company',
      $group_key: company,
      $group_set: { seats: 11 },
    })
    const group = await elapsedUntil(() => service.isOn('for-large', user, { company }))
    longest = Math.max(longest, person, group)
  }
  return longest
}

const openWithFlags = async (): Promise<Service> => {
  const service = await openService()
  await service.capture('$groupidentify', 'x', { $group_type: 'company', $group_key: 'first' })
  await caughtUp(service.url)
  await service.makeFlag({ key: 'for-pros', filters: { groups: [{ properties: PRO }] } })
  await service.makeFlag({
    key: 'for-large',
    filters: { aggregation_group_type_index: 0, groups: [{ properties: LARGE }] },
  })
  expect(await service.isOn('for-pros', 'user 0')).toBe(false)
  return service
}

test('decide sees what identify and $groupidentify set within one second', async () => {
  expect(await longestUntilSeen(await openWithFlags(), 5)).toBeLessThan(1_000)
})

test('decide sees what identify and $groupidentify set within one second beside 1,000 events a second', async () => {
  const service = await openWithFlags()
  startSteadyLoad(service)
  expect(await longestUntilSeen(service, 10)).toBeLessThan(1_000)
})

test('a query counts people once who signed in on several devices, also by their events from before', async () => {
  const service = await openService()
  for (const device of ['phone', 'laptop', 'tablet']) await service.capture('$pageview', device, {})
  await caughtUp(service.url)
  expect(await service.people()).toBe(3)
  for (const device of ['phone', 'laptop']) await service.capture('$identify', 'ada', { $anon_distinct_id: device })
  await service.capture('$create_alias', 'tablet', { alias: 'ada' })
  await caughtUp(service.url)
  expect(await service.people()).toBe(1)
})

test('a store that was moved away knows who was merged into whom when it begins anew', async () => {
  const folder = tempFolder()
  const first = await openService(folder)
  await first.capture('$pageview', 'phone', {})
  await caughtUp(first.url)
  await first.capture('$identify', 'ada', { $anon_distinct_id: 'phone', $set: { plan: 'pro' } })
  await caughtUp(first.url)
  // Rows that the inbox still holds would bring the new store up to date by themselves.
  const rows = (): number =>
    withSqlite(join(folder, 'inbox.sqlite'), (db) =>
      db.prepare<[], number>('SELECT count(*) FROM request').pluck().get()!,
    )
  await until(rows, (left) => left === 0)
  expect(await first.end('SIGTERM')).toBe(0)
  for (const name of readdirSync(join(folder, 'events')))
    renameSync(join(folder, 'events', name), join(folder, `old-${name}`))

  const { apiKey, personalApiKey } = first
  const second = await openService(folder, { apiKey, personalApiKey })
  for (const id of ['phone', 'ada']) await second.capture('$pageview', id, { $process_person_profile: false })
  await caughtUp(second.url)
  expect(await second.people()).toBe(1)
  const persons = await queryRows(second.url, personalApiKey, "SELECT properties->>'plan' FROM persons")
  expect(persons).toEqual([['pro']])
  await until(second.output, (told) => told.includes('The store of project 1 was older than its persons'))
})
