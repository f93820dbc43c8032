import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseKeys, queryRows, startService, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import type { TestClickHouse } from '../clickhouse/start-clickhouse.ts'
import { startClickHouse } from '../clickhouse/start-clickhouse.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { SERVICE_ENVIRONMENT } from '../support/start-on-postgres.ts'

let clickHouse: TestClickHouse
beforeAll(async () => {
  clickHouse = await startClickHouse()
})
afterAll(() => clickHouse.cleanUp())

let clusterCount = 0

/** Creates a function that starts a node: all have one PostgreSQL database, and one ClickHouse server. */
const createCluster = async (): Promise<(folder?: string) => Promise<ServiceProcess>> => {
  const { url: metadata } = await createEmptyDatabase()
  const { url, password } = clickHouse.options
  const passwordFile = join(createTempFolder(), 'password')
  writeFileSync(passwordFile, password)
  const events = `clickhouse://${new URL(url).host}/nodes_${++clusterCount}`
  const args = ['--metadata', metadata, '--events', events, '--events-password-file', passwordFile]
  return (folder = createTempFolder()) => startService(folder, { args, env: SERVICE_ENVIRONMENT })
}

const post = async (url: string, body: object, key?: string): Promise<Record<string, unknown>> => {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

const readFlags = async ({ url }: ServiceProcess, apiKey: string, distinctId: string): Promise<unknown> =>
  (await post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: distinctId }))['featureFlags']

const IF_PRO = {
  key: 'pro',
  filters: { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] },
}

test('nodes store each event once and merge persons as one node would, although one is killed and all get the same events', async () => {
  const start = await createCluster()
  const folder = createTempFolder()
  const first = await start()
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const nodes = [first, await start(), await start(folder)]
  const users = 30
  const createEvents = (user: number) =>
    [
      { event: 'seen', distinct_id: `phone ${user}` },
      { event: 'seen', distinct_id: `tablet ${user}` },
      { event: '$identify', distinct_id: `user ${user}`, properties: { $anon_distinct_id: `phone ${user}` } },
      { event: '$create_alias', distinct_id: `user ${user}`, properties: { alias: `tablet ${user}` } },
    ].map((event) => Object.assign(event, { uuid: randomUUID() }))
  const batches = Array.from({ length: 4 }, () => Array.from({ length: users }, (_, user) => createEvents(user)).flat())
  const send = (node: ServiceProcess, batch: readonly object[]) =>
    post(`${node.url}/batch/`, { api_key: apiKey, batch })
  for (const batch of batches) await Promise.all(nodes.map((node) => send(node, batch)))
  await nodes[2]!.end('SIGKILL')
  nodes[2] = await start(folder)
  for (const { url } of nodes) await waitForIndexer(url)

  const total = batches.flat().length
  const count = 'SELECT toInt32(count()), toInt32(uniqExact(uuid)), toInt32(uniqExact(person_id)) FROM events'
  const countPersons = 'SELECT toInt32(count()) FROM persons'
  for (const { url } of nodes) {
    expect(await queryRows(url, personalApiKey, count)).toEqual([[total, total, users]])
    expect(await queryRows(url, personalApiKey, countPersons)).toEqual([[users]])
  }
}, 120_000)

test('a node decides by what another has stored and changed, within a second', async () => {
  const start = await createCluster()
  const first = await start()
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const second = await start()
  expect(await readFlags(second, apiKey, 'ada')).toEqual({})
  await post(`${first.url}/api/projects/1/feature_flags/`, IF_PRO, personalApiKey)
  await expect.poll(() => readFlags(second, apiKey, 'ada'), { timeout: 5_000 }).toEqual({ pro: false })
  await post(`${first.url}/i/v0/e/`, {
    api_key: apiKey,
    event: 'paid',
    distinct_id: 'ada',
    properties: { $set: { plan: 'pro' } },
  })
  await waitForIndexer(first.url)
  await expect.poll(() => readFlags(second, apiKey, 'ada'), { timeout: 5_000 }).toEqual({ pro: true })
})
