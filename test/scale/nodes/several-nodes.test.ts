import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseKeys, queryRows, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { openCluster, post } from './cluster.ts'

const readFlags = async ({ url }: ServiceProcess, apiKey: string, distinctId: string): Promise<unknown> =>
  (await post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: distinctId }))['featureFlags']

const IF_PRO = {
  key: 'pro',
  filters: { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] },
}

test('nodes store each event once and merge persons as one node would, although one is killed and all get the same events', async () => {
  const { start } = await openCluster()
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
  const { start } = await openCluster()
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
