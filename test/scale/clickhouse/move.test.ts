import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createUuidV7 } from '../../../src/codec/uuid.ts'
import {
  launchService,
  killProcess,
  listChildPids,
  parseKeys,
  queryRows,
  startService,
  waitForIndexer,
} from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createArgs, send, uuidOf } from './service-under-test.ts'
import type { TestClickHouse } from './start-clickhouse.ts'
import { HAS_FAULTS, startClickHouse } from './start-clickhouse.ts'

/** How long a test waits; a busy machine may need it. */
const SOON = { timeout: 60_000 }

let server: TestClickHouse
beforeAll(async () => {
  server = await startClickHouse()
})
beforeEach(() => server.setFault({ kind: 'none' }))
afterAll(() => server.cleanUp())

/** A port that is free. A service that is started again has the same one, so that clients go on. */
const findFreePort = async (): Promise<number> => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

/** Properties as JSON, of which some are written in other ways than JavaScript writes them. */
const PROPERTIES: readonly string[] = [
  '{}',
  '{"$browser":"Firefox","price":9.50,"nested":{"b":[1,{"a":null}],"a":{}}}',
  '{"long":123456789012345678901234567890,"exact":9007199254740993,"twenty":-100000000000000000000,"tiny":1E-7,"minus":-0}',
  '{"b":1,"10":"ten","2":{"9":1,"8":2},"a":2}',
  '{"twice":1,"other":true,"twice":"last"}',
  '{"control":"\\u001f\\u0000\\"\\\\","$browser":"\\u0007","$os":"a\\u0000b","lone":"\\ud800","emoji":"😀é"}',
  '{"$os":null,"$current_url":"https://example.com/?q=1","list":["1",1,1.5e300]}',
  `{${Array.from({ length: 12 }, (_, n) => `"own ${n}":${n},"${['utm_source', 'utm_medium', 'utm_campaign', '$lib', '$host', '$pathname', '$device_id', '$referrer', '$session_id', '$window_id', '$screen_name', '$os_version'][n]}":"${n}"`).join(',')}}`,
]

const createUuid = createUuidV7((length) => randomBytes(length))

interface SentEvent {
  readonly uuid: string
  readonly json: string
}

const EVENTS = 1_500
const START = Date.UTC(2026, 9, 1)

/** Events of three months, of which every third has a uuid without a time. */
const createEvents = (name: string, count: number): readonly SentEvent[] =>
  Array.from({ length: count }, (_, n) => {
    const time = START + Math.floor((n / count) * 60 * 86_400_000)
    const uuid = n % 3 === 0 ? uuidOf(`${name} ${n}`) : createUuid(time)
    const user = `user ${n % 50}`
    const properties = PROPERTIES[n % PROPERTIES.length]!
    const padded =
      name === 'old' && n % 5 === 0
        ? `${properties.slice(0, -1)}${properties === '{}' ? '' : ','}"pad":"${'x'.repeat(40_000)}"}`
        : properties
    const json = `{"uuid":"${uuid}","event":"${name} ${n % 4}","distinct_id":"${user}","timestamp":"${new Date(time).toISOString()}","properties":${padded}}`
    return { uuid, json }
  })

const PERSON_EVENTS = [
  { event: '$identify', distinct_id: 'user 1', properties: { $anon_distinct_id: 'user 2', $set: { plan: 'pro' } } },
  { event: '$create_alias', distinct_id: 'user 1', properties: { alias: 'user 3' } },
  {
    event: '$groupidentify',
    distinct_id: 'user 4',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } },
  },
  { event: 'paid', distinct_id: 'user 5', properties: { $set: { plan: 'free', '7': 1 } } },
].map((event, n) => JSON.stringify({ ...event, uuid: uuidOf(`person ${n}`), timestamp: new Date(START).toISOString() }))

const post = async (url: string, apiKey: string, events: readonly string[], isHistorical = false): Promise<number> =>
  (
    await fetch(`${url}/batch/`, {
      method: 'POST',
      body: `{"api_key":"${apiKey}","historical_migration":${isHistorical},"batch":[${events.join(',')}]}`,
    })
  ).status

/** Sends batches, each until it is acknowledged, as an agent does. */
const startClient = (url: string, apiKey: string, again: readonly string[]) => {
  const acknowledged: string[] = []
  const statuses = new Set<number>()
  const stopper = new AbortController()
  const run = async (): Promise<void> => {
    for (let round = 0; !stopper.signal.aborted; round++) {
      const events = createEvents(`meanwhile ${round}`, 10)
      const batch = [...events.map(({ json }) => json), ...again.slice((round * 5) % again.length).slice(0, 5)]
      for (;;) {
        const status = await post(url, apiKey, batch).catch(() => null)
        if (status !== null) statuses.add(status)
        if (status === 200) break
        await sleep(20)
      }
      acknowledged.push(...events.map(({ uuid }) => uuid))
      await sleep(20)
    }
  }
  const ended = run()
  return {
    acknowledged,
    statuses,
    async stop() {
      stopper.abort()
      await ended
    },
  }
}

const EVENT_SQL = `SELECT uuid, event, distinct_id, person_id, timestamp, received_at, historical, properties FROM events
  WHERE event NOT LIKE 'meanwhile%'`
const PERSON_SQL = 'SELECT id, created_at, is_identified, properties FROM persons'
const OTHER_SQL = [
  'SELECT distinct_id, person_id FROM person_distinct_ids',
  'SELECT group_type, group_key, created_at, properties FROM groups',
]
const INSIGHTS = [
  {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'old 1', math: 'dau' }],
    dateRange: { date_from: '2026-09-30', date_to: '2026-12-05' },
  },
  {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'old 2' }],
    breakdownFilter: { breakdown: '$browser' },
    dateRange: { date_from: '2026-09-30', date_to: '2026-12-05' },
  },
  {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'old 0' },
      { kind: 'EventsNode', event: 'old 3' },
    ],
    dateRange: { date_from: '2026-09-30', date_to: '2026-12-05' },
  },
]

/** All that a project's queries answer, of the events that do not come meanwhile. */
const readAll = async ({ url }: ServiceProcess, personalApiKey: string) => {
  const readSorted = async (sql: string): Promise<readonly string[]> =>
    (await queryRows(url, personalApiKey, sql))
      // The engines write the same JSON in different ways.
      .map((row) =>
        JSON.stringify(
          row.map((value) => (typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value)),
        ),
      )
      .sort()
  const answers: unknown[] = []
  for (const query of INSIGHTS) {
    const response = await send(`${url}/api/projects/1/query/`, personalApiKey, 'POST', {
      query,
      refresh: 'force_blocking',
    })
    expect(response.status).toBe(200)
    answers.push((await response.json()).results)
  }
  return {
    events: await readSorted(EVENT_SQL),
    persons: await readSorted(PERSON_SQL),
    others: await Promise.all(OTHER_SQL.map(readSorted)),
    answers,
  }
}

/** The events that are stored more or less than once. */
const countWrong = async (
  { url }: ServiceProcess,
  personalApiKey: string,
  uuids: readonly string[],
): Promise<number> => {
  const counts = new Map<unknown, number>()
  for (const [uuid] of await queryRows(url, personalApiKey, 'SELECT uuid FROM events'))
    counts.set(uuid, (counts.get(uuid) ?? 0) + 1)
  expect(counts.size).toBe([...counts.values()].reduce((sum, count) => sum + count, 0))
  return uuids.filter((uuid) => counts.get(uuid) !== 1).length
}

test.skipIf(!HAS_FAULTS)(
  'moves events to ClickHouse and back while a client goes on, though the service is killed again and again',
  async () => {
    const folder = createTempFolder()
    const eventsArgs = createArgs(server)
    const port = await findFreePort()
    const ownArgs = ['--port', String(port), '--query-max-rows', '100000']
    const url = `http://127.0.0.1:${port}`
    let service = await startService(folder, { args: ownArgs })
    const { apiKey, personalApiKey } = parseKeys(service.output())
    const old = createEvents('old', EVENTS)
    expect(
      await post(
        url,
        apiKey,
        old.map(({ json }) => json),
        true,
      ),
    ).toBe(200)
    expect(await post(url, apiKey, PERSON_EVENTS)).toBe(200)
    await waitForIndexer(url)
    const before = await readAll(service, personalApiKey)
    expect(before.events).toHaveLength(EVENTS + PERSON_EVENTS.length)
    await service.end('SIGTERM')

    const client = startClient(
      url,
      apiKey,
      old.map(({ json }) => json),
    )
    /** Waits until the move is as far as a pattern says. */
    const waitForNotice = async (pattern: RegExp): Promise<void> => {
      const readNotice = async () => (await (await fetch(`${url}/healthz`)).json()).store.detail
      await expect.poll(readNotice, { ...SOON, interval: 10 }).toMatch(pattern)
    }
    /** Moves the events, with deaths of the service and of its indexer on the way. */
    const move = async (to: 'clickhouse' | 'duckdb', slow: string) => {
      const migrate = { command: ['migrate', '--to', to], args: [...ownArgs, ...eventsArgs] }
      await server.setFault({ kind: 'slow', delayMs: 100, matching: slow })
      for (const notice of [/It begins/, / [1-9]\d* of \d+ events/, /are compared/]) {
        service = await launchService(folder, migrate)
        await waitForNotice(notice)
        await service.end('SIGKILL')
      }
      service = await startService(folder, migrate)
      await waitForNotice(/are compared/)
      for (const pid of listChildPids(service.pid)) killProcess(pid)
      await server.setFault({ kind: 'none' })
      await expect.poll(() => service.output(), SOON).toMatch(/were copied to .* and compared/)
      const sent = client.acknowledged.slice()
      await expect.poll(() => countWrong(service, personalApiKey, sent).catch(String), SOON).toBe(0)
      expect(await readAll(service, personalApiKey)).toEqual(before)
    }

    await move('clickhouse', 'INSERT|sum\\(')
    expect(readFileSync(join(folder, 'events/in-clickhouse'), 'utf8')).toMatch(/^127\.0\.0\.1:\d+\/test_/)
    expect(readdirSync(join(folder, 'events')).filter((name) => name.endsWith('.duckdb'))).toEqual([])
    await service.end('SIGTERM')
    service = await startService(folder, { args: [...ownArgs, ...eventsArgs] })
    expect(await readAll(service, personalApiKey)).toEqual(before)
    await service.end('SIGTERM')

    await move('duckdb', 'FROM stored_events|sum\\(')
    expect(
      readdirSync(join(folder, 'events')).filter((name) => name === 'in-clickhouse' || name.includes('moving')),
    ).toEqual([])
    await service.end('SIGTERM')
    service = await startService(folder, { args: ownArgs })
    await client.stop()
    await waitForIndexer(url)
    expect(client.statuses).toEqual(new Set([200]))
    expect(client.acknowledged.length).toBeGreaterThan(100)
    expect(await countWrong(service, personalApiKey, client.acknowledged)).toBe(0)
    expect(await readAll(service, personalApiKey)).toEqual(before)
    // Those that came in ClickHouse are known as duplicates, too.
    expect(
      await post(
        url,
        apiKey,
        old.map(({ json }) => json),
      ),
    ).toBe(200)
    await waitForIndexer(url)
    expect(await readAll(service, personalApiKey)).toEqual(before)
  },
  240_000,
)

test('refuses queries and takes events until the move can be noted, and then goes on', async () => {
  const folder = createTempFolder()
  const first = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const [before, meanwhile] = [createEvents('before', 5), createEvents('meanwhile', 5)]
  const toJson = (events: readonly SentEvent[]) => events.map(({ json }) => json)
  expect(await post(first.url, apiKey, toJson(before))).toBe(200)
  await waitForIndexer(first.url)
  await first.end('SIGTERM')
  // In the way of the mark, as a full disk would be.
  const obstacle = join(folder, 'events/in-clickhouse.new')
  mkdirSync(obstacle)
  const service = await startService(folder, { command: ['migrate', '--to', 'clickhouse'], args: createArgs(server) })
  await expect.poll(() => service.output(), SOON).toMatch(/The move of the events cannot be finished: .*EISDIR/)
  expect(await post(service.url, apiKey, toJson(meanwhile))).toBe(200)
  await expect(queryRows(service.url, personalApiKey, 'SELECT 1')).rejects.toThrow(/^503 .*store_unavailable/)
  rmdirSync(obstacle)
  const uuids = [...before, ...meanwhile].map(({ uuid }) => uuid)
  await expect.poll(() => countWrong(service, personalApiKey, uuids).catch(String), SOON).toBe(0)
})

test('needs the server of the events', async () => {
  const migrate = (to: string) => launchService(createTempFolder(), { command: ['migrate', '--to', to] })
  await expect(migrate('clickhouse')).rejects.toThrow('Name the server with --events clickhouse://…')
  await expect(migrate('duckdb')).rejects.toThrow('Name the server with --events clickhouse://…')
})
