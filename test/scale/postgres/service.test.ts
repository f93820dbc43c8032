import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import {
  launchService,
  parseKeys,
  queryRows,
  SERVICE_SCRIPT,
  waitForIndexer,
} from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import type { PostgresServer } from '../support/postgres-server.mjs'
import { startPostgres } from '../support/postgres-server.mjs'
import { queryPostgres } from '../support/query-postgres.ts'
import { SERVICE_ENVIRONMENT, startOnPostgres } from '../support/start-on-postgres.ts'

/** A server of its own, because the test stops it. */
const openServer = async () => {
  const server = await startPostgres(inject('postgresPackage')!)
  onTestFinished(() => server.remove())
  return { server, ...(await createEmptyDatabase(server.url)) }
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

const actions = ({ url }: ServiceProcess, { apiKey, personalApiKey }: ReturnType<typeof parseKeys>) => ({
  capture: async (event: string, properties: object = {}): Promise<number> =>
    (await post(`${url}/i/v0/e/`, { api_key: apiKey, event, distinct_id: 'ada\0', properties })).status,
  decide: async () => {
    const response = await post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: 'ada\0' })
    const { featureFlags, errorsWhileComputingFlags } = await response.json()
    return { status: response.status, featureFlags, errorsWhileComputingFlags }
  },
  manage: async (method: string, path: string, body?: object): Promise<number> => {
    const response = await fetch(`${url}/api/projects/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.status
  },
  events: () => queryRows(url, personalApiKey, 'select event, count(*)::INT from events group by event order by event'),
})

const IF_PRO = {
  key: 'pro',
  filters: { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] },
}
const ALWAYS = { key: 'always', filters: { groups: [{}] } }

test('serves from start to end, through a kill and an outage of PostgreSQL, and loses no event', async () => {
  const { server, url } = await openServer()
  const folder = createTempFolder()
  let service = await startOnPostgres(folder, url)
  const keys = parseKeys(service.output())
  let { capture, decide, manage, events } = actions(service, keys)
  expect(await capture('bought', { $set: { plan: 'pro' } })).toBe(200)
  for (const flag of [IF_PRO, ALWAYS]) expect(await manage('POST', 'feature_flags/', flag)).toBe(201)
  await waitForIndexer(service.url)
  expect(await events()).toEqual([['bought', 1]])
  const served = { status: 200, featureFlags: { pro: true, always: true }, errorsWhileComputingFlags: false }
  expect(await decide()).toEqual(served)

  await service.end('SIGKILL')
  service = await startOnPostgres(folder, url)
  ;({ capture, decide, manage, events } = actions(service, keys))
  expect(await decide()).toEqual(served)
  expect(await capture('again')).toBe(200)
  await waitForIndexer(service.url)

  await server.stop()
  for (let count = 0; count < 20; count++) expect(await capture('meanwhile', { $set: { plan: 'free' } })).toBe(200)
  expect(await decide()).toEqual({ status: 200, featureFlags: { always: true }, errorsWhileComputingFlags: true })
  expect(await manage('PATCH', 'feature_flags/always/', { active: false })).toBe(503)
  const readHealth = async (): Promise<unknown> => (await fetch(`${service.url}/healthz`)).json()
  await expect
    .poll(readHealth, { timeout: 5_000 })
    .toMatchObject({ status: 'failing', inbox: { ok: true }, metadata: { ok: false } })

  await server.start()
  await expect.poll(events, { timeout: 30_000 }).toEqual([
    ['again', 1],
    ['bought', 1],
    ['meanwhile', 20],
  ])
  await expect.poll(decide).toEqual({
    status: 200,
    featureFlags: { always: true, pro: false },
    errorsWhileComputingFlags: false,
  })
  expect(await manage('PATCH', 'feature_flags/always/', { active: false })).toBe(200)
  expect(await service.end('SIGTERM')).toBe(0)
})

/** What can happen to a running server. Each returns the end of the fault. */
const FAULTS = {
  async 'has no connection left'({ url }: PostgresServer) {
    await queryPostgres(url, 'alter role waymark connection limit 0')
    await queryPostgres(url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'waymark'`)
    return () => queryPostgres(url, 'alter role waymark connection limit -1')
  },
  async hangs(server: PostgresServer) {
    server.suspend()
    return () => Promise.resolve(server.resume())
  },
}

test.each(Object.entries(FAULTS))('acknowledges and decides while PostgreSQL %s', async (_name, begin) => {
  const { server, url } = await openServer()
  await queryPostgres(server.url, 'create role waymark login')
  const database = new URL(url)
  await queryPostgres(server.url, `alter database ${database.pathname.slice(1)} owner to waymark`)
  database.username = 'waymark'
  const service = await startOnPostgres(createTempFolder(), database.href)
  const { capture, decide, manage, events } = actions(service, parseKeys(service.output()))
  expect(await capture('bought', { $set: { plan: 'pro' } })).toBe(200)
  for (const flag of [IF_PRO, ALWAYS]) expect(await manage('POST', 'feature_flags/', flag)).toBe(201)
  await waitForIndexer(service.url)
  const served = { status: 200, featureFlags: { pro: true, always: true }, errorsWhileComputingFlags: false }
  await expect.poll(decide).toEqual(served)

  // What the front knows of the project expires.
  await queryPostgres(url, 'update projects set name = name')
  const end = await begin(server)
  const start = performance.now()
  for (let count = 0; count < 20; count++) expect(await capture('meanwhile')).toBe(200)
  expect(await decide()).toEqual({ status: 200, featureFlags: { always: true }, errorsWhileComputingFlags: true })
  // Each of the two waits for a second at most, and then for nothing that hangs already.
  expect(performance.now() - start).toBeLessThan(8_000)
  const readHealth = async (): Promise<unknown> => (await fetch(`${service.url}/healthz`)).json()
  await expect.poll(readHealth, { timeout: 10_000 }).toMatchObject({ inbox: { ok: true }, metadata: { ok: false } })
  await end()
  const expected = [
    ['bought', 1],
    ['meanwhile', 20],
  ]
  await expect.poll(events, { timeout: 30_000 }).toEqual(expected)
  await expect.poll(decide, { timeout: 10_000 }).toEqual(served)
})

test('stores each event and person once while its connections are ended again and again', async () => {
  const { server, url } = await openServer()
  const service = await startOnPostgres(createTempFolder(), url)
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const total = 2_000
  for (let sent = 0; sent < total; sent += 100) {
    const batch = Array.from({ length: 100 }, (_, index) => ({
      event: 'bought',
      distinct_id: `user ${sent + index}`,
      properties: { $set: { number: sent + index } },
    }))
    expect((await post(`${service.url}/batch/`, { api_key: apiKey, batch })).status).toBe(200)
    await queryPostgres(
      server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waymark-service'`,
    )
  }
  const read = () =>
    queryRows(service.url, personalApiKey, 'select count(*)::INT, count(distinct distinct_id)::INT from events')
  await expect.poll(read, { timeout: 30_000 }).toEqual([[total, total]])
  const [persons] = await queryPostgres(url, 'select count(*)::int as count from persons')
  expect(persons).toEqual({ count: total })
})

test('commands need the settings of the metadata, and no data folder', async () => {
  const { url } = await openServer()
  await (await startOnPostgres(createTempFolder(), url)).end('SIGTERM')
  const env = { ...process.env, ...SERVICE_ENVIRONMENT, WAYMARK_METADATA: url }
  const run = (...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    promisify(execFile)(process.execPath, [SERVICE_SCRIPT, ...args], { cwd: createTempFolder(), env })
  await run('project', 'create', 'Shop')
  expect((await run('project', 'list')).stdout).toMatch(/Default project[^]*Shop/)
})

test('refuses a data folder that belongs to other metadata', async () => {
  const { url } = await openServer()
  const folder = createTempFolder()
  await (await startOnPostgres(folder, url)).end('SIGTERM')
  await expect(launchService(folder)).rejects.toThrow('is in PostgreSQL; set --metadata as before')
  const embedded = createTempFolder()
  await (await launchService(embedded)).end('SIGTERM')
  await expect(startOnPostgres(embedded, url)).rejects.toThrow('has metadata of its own')
})
