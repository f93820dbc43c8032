import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  launchService,
  listChildPids,
  parseKeys,
  queryRows,
  startService,
  waitForIndexer,
} from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createArgs as createServerArgs, send, uuidOf } from './service-under-test.ts'
import type { TestClickHouse } from './start-clickhouse.ts'
import { HAS_FAULTS, startClickHouse } from './start-clickhouse.ts'

/** How long a test waits; a busy machine may need it. */
const SOON = { timeout: 40_000 }

let server: TestClickHouse
beforeAll(async () => {
  server = await startClickHouse()
})
beforeEach(async () => {
  if (HAS_FAULTS) await server.setFault({ kind: 'none' })
})
afterAll(() => server.cleanUp())

const createArgs = (prefix?: string, password?: string) => createServerArgs(server, prefix, password)

type Keys = ReturnType<typeof parseKeys>

const actions = ({ url }: ServiceProcess, { apiKey, personalApiKey }: Keys) => {
  const manage = async (method: string, path: string, body?: object, projectId = 1) => {
    const response = await send(`${url}/api/projects/${projectId}/${path}`, personalApiKey, method, body)
    return { status: response.status, body: await response.json().catch(() => null) }
  }
  return {
    capture: async (event: string, properties: object = {}): Promise<number> =>
      (await send(`${url}/i/v0/e/`, null, 'POST', { api_key: apiKey, event, distinct_id: 'ada', properties })).status,
    decide: async (): Promise<unknown> =>
      (await (await send(`${url}/decide?v=3`, null, 'POST', { api_key: apiKey, distinct_id: 'ada' })).json())
        .featureFlags,
    manage,
    query: async (query: string, projectId = 1) => manage('POST', 'query/', { query }, projectId),
    readHealth: async () => (await send(`${url}/healthz`, null)).json(),
    events: () => queryRows(url, personalApiKey, 'SELECT event, count() FROM events GROUP BY event ORDER BY event'),
  }
}

const IF_PRO = {
  key: 'pro',
  filters: { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] },
}

test('serves flags, insights, SQL, drafts, playlists and exports', async () => {
  const service = await startService(createTempFolder(), { args: createArgs() })
  const { capture, decide, manage, query, events } = actions(service, parseKeys(service.output()))
  expect(await capture('bought', { $set: { plan: 'pro' }, $session_id: 's1', amount: 7 })).toBe(200)
  expect((await manage('POST', 'feature_flags/', IF_PRO)).status).toBe(201)
  await waitForIndexer(service.url)
  expect(await events()).toEqual([['bought', 1]])
  expect(await decide()).toEqual({ pro: true })

  const trend = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'bought' }],
    dateRange: { date_from: '-1d' },
  }
  expect((await manage('POST', 'query/', { query: trend })).body).toMatchObject({ results: [{ count: 1 }] })
  expect((await manage('GET', 'query/draft_sql/?question=average+amount+of+bought')).body.sql).toContain('FROM events')
  const filled = {
    kind: 'HogQLQuery',
    query: 'SELECT count() FROM events WHERE event = {name}',
    values: { name: "\\' OR 1 = 1 --" },
  }
  expect((await manage('POST', 'query/', { query: filled })).body).toMatchObject({ results: [[0]] })
  const listed = {
    kind: 'HogQLQuery',
    query: 'SELECT count() FROM events WHERE event IN {names}',
    values: { names: ['bought'] },
  }
  expect((await manage('POST', 'query/', { query: listed })).body).toMatchObject({ results: [[1]] })
  const playlist = await manage('POST', 'session_recording_playlists/', {
    name: 'Buyers',
    type: 'filters',
    filters: { events: [{ id: 'bought', type: 'events' }] },
  })
  expect([playlist.status, JSON.stringify(playlist.body)]).toEqual([201, expect.stringContaining('"count":1')])

  const { body: created } = await manage('POST', 'exports/', {
    export_format: 'text/csv',
    export_context: { source: { kind: 'HogQLQuery', query: 'SELECT event, distinct_id FROM events' } },
  })
  await expect.poll(async () => (await manage('GET', `exports/${created.id}/`)).body.has_content, SOON).toBe(true)
  const content = await send(
    `${service.url}/api/projects/1/exports/${created.id}/content/`,
    parseKeys(service.output()).personalApiKey,
  )
  expect(await content.text()).toBe('event,distinct_id\r\nbought,ada\r\n')

  for (const sql of ['INSERT INTO events VALUES (1)', 'SELECT 1; DROP TABLE stored_events', 'DROP DATABASE x'])
    expect(await query(sql)).toMatchObject({ status: 400, body: { code: 'query_not_select' } })
  expect(await service.end('SIGTERM'), service.output()).toBe(0)
})

test('keeps the SQL of the members of a project from everything but its events', async () => {
  const prefix = server.createPrefix()
  const service = await startService(createTempFolder(), { args: createArgs(prefix) })
  const keys = parseKeys(service.output())
  const { capture, query } = actions(service, keys)
  const response = await send(`${service.url}/api/projects/`, keys.personalApiKey, 'POST', { name: 'Other' })
  const { id, api_token: otherKey } = await response.json()
  expect(response.status).toBe(201)
  await capture('mine')
  await send(`${service.url}/i/v0/e/`, null, 'POST', { api_key: otherKey, event: 'theirs', distinct_id: 'bob' })
  await waitForIndexer(service.url)
  expect((await query('SELECT event FROM events')).body.results).toEqual([['mine']])
  expect((await query('SELECT event FROM events', id)).body.results).toEqual([['theirs']])
  for (const source of [
    `${prefix}_${id}.events`,
    `${prefix}_${id}.stored_events`,
    `merge('${prefix}_${id}', 'stored_events')`,
    'progress',
    'owner',
    'system.tables',
    "file('/etc/passwd')",
    "remote('127.0.0.1', 'system.one')",
  ])
    expect((await query(`SELECT * FROM ${source}`)).status, source).toBe(400)
  expect(await query(`SELECT count() FROM ${prefix}_${id}.events`)).toMatchObject({ body: { code: 'query_forbidden' } })
})

/** Sends batches of events with uuids of their own. Returns the uuids of those that were acknowledged. */
const sendBatches = async (
  { url }: ServiceProcess,
  apiKey: string,
  name: string,
  { count, padding = '' }: { readonly count: number; readonly padding?: string },
) => {
  const acknowledged: string[] = []
  const statuses = new Set<number>()
  for (let number = 0; number < count; number++) {
    const uuids = Array.from({ length: 20 }, (_, index) => uuidOf(`${name} ${number} ${index}`))
    const batch = uuids.map((uuid) => ({ uuid, event: name, distinct_id: 'ada', properties: { padding } }))
    const { status } = await send(`${url}/batch/`, null, 'POST', { api_key: apiKey, batch })
    statuses.add(status)
    if (status === 200) acknowledged.push(...uuids)
  }
  return { acknowledged, statuses }
}

/** The events that are stored more or less than once. */
const countWrong = async ({ url }: ServiceProcess, { personalApiKey }: Keys, uuids: readonly string[]) => {
  const sql = 'SELECT toString(uuid), count() FROM events GROUP BY uuid ORDER BY uuid'
  const stored = new Map((await queryRows(url, personalApiKey, sql)).map(([uuid, count]) => [uuid, count]))
  return uuids.filter((uuid) => stored.get(uuid) !== 1).length
}

test.skipIf(!HAS_FAULTS)(
  'stores each acknowledged event once, though the indexer is killed, and ClickHouse fails, stops and starts again',
  async () => {
    const folder = createTempFolder()
    const service = await startService(folder, { args: createArgs() })
    const keys = parseKeys(service.output())
    const { events, readHealth, decide, query } = actions(service, keys)
    const uuids: string[] = []
    const sendSome = async (name: string, count = 5): Promise<void> => {
      const { acknowledged, statuses } = await sendBatches(service, keys.apiKey, name, { count })
      expect(statuses).toEqual(new Set([200]))
      uuids.push(...acknowledged)
    }
    await sendSome('before')
    for (const fault of [
      { kind: 'drop_after', count: 1 },
      { kind: 'drop_before', matching: 'INSERT INTO `progress`', count: 1 },
      { kind: 'refuse', count: 2 },
      { kind: 'slow', delayMs: 500, count: 3 },
    ] as const) {
      await server.setFault(fault)
      await sendSome(`${fault.kind} ${JSON.stringify(fault)}`)
    }
    await server.setFault({ kind: 'slow', delayMs: 1000 })
    await sendSome('killed')
    const [indexer] = listChildPids(service.pid)
    process.kill(indexer!, 'SIGKILL')
    await server.setFault({ kind: 'none' })
    await expect.poll(() => countWrong(service, keys, uuids).catch(String), SOON).toBe(0)

    await server.kill()
    await sendSome('meanwhile')
    await expect.poll(readHealth, SOON).toMatchObject({
      status: 'failing',
      inbox: { ok: true },
      store: {
        ok: false,
        detail: expect.stringMatching(/ClickHouse at .* does not answer: .*Events wait in the inbox/),
      },
    })
    expect(await query('SELECT 1')).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
    expect(await decide()).toEqual({})
    await server.restart()
    await expect.poll(() => countWrong(service, keys, uuids).catch(String), SOON).toBe(0)
    await expect.poll(readHealth, SOON).toMatchObject({ status: 'ok' })
    expect(new Set((await events()).map(([, count]) => count))).toEqual(new Set([100]))
  },
  120_000,
)

test.skipIf(!HAS_FAULTS)(
  'answers 503 while ClickHouse is away and the inbox is full, and loses nothing that it acknowledged',
  async () => {
    const service = await startService(createTempFolder(), {
      args: [...createArgs(), '--inbox-limit-bytes', String(2 ** 20)],
    })
    const keys = parseKeys(service.output())
    await server.setFault({ kind: 'away' })
    const padding = 'x'.repeat(5_000)
    const full = await sendBatches(service, keys.apiKey, 'full', { count: 30, padding })
    const readReadiness = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status
    await expect.poll(readReadiness, SOON).toBe(503)
    expect((await sendBatches(service, keys.apiKey, 'refused', { count: 1, padding })).statuses).toEqual(new Set([503]))
    expect(full.acknowledged.length).toBeGreaterThan(0)
    await server.setFault({ kind: 'none' })
    await expect.poll(() => countWrong(service, keys, full.acknowledged).catch(String), SOON).toBe(0)
    // Stored rows leave the inbox a little later.
    await expect.poll(readReadiness, SOON).toBe(200)
    const after = await sendBatches(service, keys.apiKey, 'after', { count: 5, padding })
    expect(after.statuses).toEqual(new Set([200]))
    await expect.poll(() => countWrong(service, keys, after.acknowledged), SOON).toBe(0)
  },
)

test.skipIf(!HAS_FAULTS)(
  'starts while ClickHouse is away once it has been used, takes events and serves flags',
  async () => {
    const folder = createTempFolder()
    const args = createArgs()
    const first = await startService(folder, { args })
    const keys = parseKeys(first.output())
    await actions(first, keys).manage('POST', 'feature_flags/', { key: 'on', filters: { groups: [{}] } })
    await first.end('SIGTERM')
    await server.setFault({ kind: 'away' })
    const second = await startService(folder, { args })
    expect(second.output()).toMatch(
      /ClickHouse at .* does not answer: .* Events wait in the inbox until it can be used/,
    )
    const { capture, decide, events } = actions(second, keys)
    expect([await capture('waits'), await decide()]).toEqual([200, { on: true }])
    await server.setFault({ kind: 'none' })
    await expect.poll(() => events().catch(String), SOON).toEqual([['waits', 1]])
  },
)

test.skipIf(!HAS_FAULTS)('reads the password again after it has changed', async () => {
  const args = createArgs()
  const service = await startService(createTempFolder(), { args })
  const keys = parseKeys(service.output())
  const { acknowledged } = await sendBatches(service, keys.apiKey, 'first', { count: 1 })
  await waitForIndexer(service.url)
  const passwordFile = args.at(-1)!
  const change = async (password: string): Promise<void> => {
    await server.changePassword(password)
    writeFileSync(passwordFile, password)
  }
  await change('another secret')
  try {
    await expect.poll(() => countWrong(service, keys, acknowledged).catch(String), SOON).toBe(0)
    const second = await sendBatches(service, keys.apiKey, 'second', { count: 1 })
    await expect.poll(() => countWrong(service, keys, second.acknowledged).catch(String), SOON).toBe(0)
  } finally {
    await change(server.options.password)
  }
})

/** The arguments for tables on the servers of a cluster. */
const createClusterArgs = (cluster: string): readonly string[] => {
  const [flag, url, ...others] = createArgs()
  return [flag!, `${url}${url!.includes('?') ? '&' : '?'}cluster=${cluster}`, ...others]
}

test.skipIf(!HAS_FAULTS)('stores events and answers queries in a cluster', async () => {
  const service = await startService(createTempFolder(), { args: createClusterArgs('test_cluster') })
  const keys = parseKeys(service.output())
  const { capture, events, decide, manage } = actions(service, keys)
  expect((await manage('POST', 'feature_flags/', IF_PRO)).status).toBe(201)
  expect(await capture('bought', { $set: { plan: 'pro' } })).toBe(200)
  await waitForIndexer(service.url)
  expect(await events()).toEqual([['bought', 1]])
  expect(await decide()).toEqual({ pro: true })
})

const refuse = async (args: readonly string[], message: string | RegExp, folder = createTempFolder()) =>
  expect(launchService(folder, { args })).rejects.toThrow(message)

describe('a start is refused', () => {
  test('when the server does not know the cluster', () =>
    refuse(createClusterArgs('no_such_cluster'), /knows no cluster "no_such_cluster": see its table system\.clusters/))

  test.skipIf(!HAS_FAULTS)(
    'when the server is away, too old, or does not let the user in or do what is needed',
    async () => {
      await refuse(
        createArgs(undefined, 'wrong'),
        /refuses: .*Authentication failed.* must be able to sign in, and to create databases/,
      )
      await server.setFault({ kind: 'answer', matching: 'version\\(\\)', text: '22.3.1.1\n' })
      await refuse(createArgs(), /is version 22\.3\.1\.1; the events need 23\.8 or newer/)
      const message =
        'default: Not enough privileges. To execute this query, it is necessary to have the grant CREATE USER ON *.*. (ACCESS_DENIED)'
      await server.setFault({ kind: 'refuse', matching: 'CREATE USER', code: 497, message })
      await refuse(
        createArgs(),
        /Not enough privileges.* must be able to sign in, and to create databases, tables and users/,
      )
      await server.setFault({ kind: 'away' })
      await refuse(createArgs(), /does not answer: .* Check --events and the server, then start again/)
      await refuse([...createArgs().slice(0, 3), '/no/such/file'], /--events cannot be used: ENOENT/)
    },
  )

  test('when the data folder has its events elsewhere', async () => {
    const inClickHouse = createTempFolder()
    await (await launchService(inClickHouse, { args: createArgs() })).end('SIGTERM')
    await refuse([], /The events of the data folder .* are in ClickHouse; set --events as before/, inClickHouse)
    const embedded = createTempFolder()
    const service = await launchService(embedded)
    await actions(service, parseKeys(service.output())).capture('first')
    await waitForIndexer(service.url)
    await service.end('SIGTERM')
    await refuse(createArgs(), /has events of its own, in .*events; start without --events/, embedded)
  })
})

test('does not mix its events with those of another installation', async () => {
  const args = createArgs()
  const owner = await startService(createTempFolder(), { args })
  await actions(owner, parseKeys(owner.output())).capture('mine')
  await waitForIndexer(owner.url)
  const other = await startService(createTempFolder(), { args })
  const { capture, readHealth } = actions(other, parseKeys(other.output()))
  expect(await capture('theirs')).toBe(200)
  await expect.poll(readHealth, SOON).toMatchObject({
    store: { detail: expect.stringMatching(/belongs to a project of other metadata\. Choose another prefix/) },
  })
  expect(await actions(owner, parseKeys(owner.output())).events()).toEqual([['mine', 1]])
})
