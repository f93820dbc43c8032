import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseKeys, queryRows, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { openCluster, post } from './cluster.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The first node's clock is right; the others are an hour ahead and an hour behind. */
const OFFSETS_MS = [0, HOUR_MS, -HOUR_MS] as const

const openNodes = async () => {
  const { start } = await openCluster()
  const first = await start()
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const nodes = [first, await start(undefined, OFFSETS_MS[1]), await start(undefined, OFFSETS_MS[2])] as const
  const capture = (node: ServiceProcess, event: object) =>
    post(`${node.url}/i/v0/e/`, { api_key: apiKey, uuid: randomUUID(), ...event })
  const ask = (sql: string) => queryRows(first.url, personalApiKey, sql)
  const decide = async ({ url }: ServiceProcess) =>
    (await post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: 'ada' }))['featureFlags']
  return { nodes, apiKey, personalApiKey, capture, ask, decide }
}

test('an event that arrives at nodes with different clocks is stored once', async () => {
  const { nodes, capture, ask } = await openNodes()
  const uuids = Array.from({ length: 20 }, () => randomUUID())
  // All at once, so that none has found what another has stored; then again.
  for (let time = 0; time < 2; time++) {
    for (const uuid of uuids)
      await Promise.all(nodes.map((node) => capture(node, { uuid, event: 'seen', distinct_id: 'ada' })))
    for (const { url } of nodes) await waitForIndexer(url)
  }
  await expect
    .poll(() => ask('SELECT toInt32(count()), toInt32(uniqExact(uuid)), toInt32(uniqExact(person_id)) FROM events'))
    .toEqual([[20, 20, 1]])
})

test('the time of an event is by the clock of the node that took it', async () => {
  const { nodes, apiKey, capture, ask } = await openNodes()
  const now = Date.now()
  for (const [index, node] of nodes.entries()) {
    await capture(node, { event: `untimed ${index}`, distinct_id: 'ada' })
    // The client's clock is a day ahead, as it says itself.
    const sentAt = now + 24 * HOUR_MS
    const timestamp = new Date(sentAt - 20 * MINUTE_MS).toISOString()
    await post(`${node.url}/batch/`, {
      api_key: apiKey,
      sent_at: new Date(sentAt).toISOString(),
      batch: [{ event: `timed ${index}`, distinct_id: 'ada', uuid: randomUUID(), timestamp }],
    })
    await waitForIndexer(node.url)
  }
  const rows = await ask('SELECT event, toUnixTimestamp64Milli(timestamp) AS time FROM events ORDER BY event')
  const offsets = new Map(rows.map(([event, time]) => [event, Number(time) - now]))
  for (const [index, offsetMs] of OFFSETS_MS.entries()) {
    expect(Math.abs(offsets.get(`untimed ${index}`)! - offsetMs)).toBeLessThan(5 * MINUTE_MS)
    expect(Math.abs(offsets.get(`timed ${index}`)! - offsetMs + 20 * MINUTE_MS)).toBeLessThan(5 * MINUTE_MS)
  }
})

test('the value of a person that a node reads last stays, whatever its clock says', async () => {
  const { nodes, capture, ask } = await openNodes()
  const [right, ahead, behind] = nodes
  for (const [index, node] of [ahead, right, behind, ahead, behind].entries()) {
    await capture(node, {
      event: '$identify',
      distinct_id: 'ada',
      properties: { $anon_distinct_id: `phone ${index}`, $set: { plan: `plan ${index}` }, $set_once: { first: index } },
    })
    await waitForIndexer(node.url)
    await expect
      .poll(() => ask(`SELECT JSONExtractString(properties, 'plan'), JSONExtractInt(properties, 'first') FROM persons`))
      .toEqual([[`plan ${index}`, 0]])
  }
})

test('a change of a flag reaches nodes whose clocks differ, in both directions', async () => {
  const { nodes, personalApiKey, decide } = await openNodes()
  const [right, ahead, behind] = nodes
  const filters = { groups: [{}] }
  await post(`${ahead.url}/api/projects/1/feature_flags/`, { key: 'new', filters }, personalApiKey)
  for (const node of nodes) await expect.poll(() => decide(node), { timeout: 5000 }).toEqual({ new: true })
  for (const [node, active] of [
    [behind, false],
    [right, true],
    [behind, false],
  ] as const) {
    const response = await fetch(`${node.url}/api/projects/1/feature_flags/new/`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${personalApiKey}` },
      body: JSON.stringify({ active }),
    })
    expect(response.status).toBe(200)
    for (const other of nodes) await expect.poll(() => decide(other), { timeout: 5000 }).toEqual({ new: active })
  }
})
