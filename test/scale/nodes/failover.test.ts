import { expect, test } from 'vitest'
import { eventually } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { post } from './cluster.ts'
import { allOf, openTwoNodes, USERS } from './two-nodes.ts'

const statusOf = async ({ url }: ServiceProcess, path: string): Promise<number> => (await fetch(`${url}${path}`)).status

test('nodes go on when another PostgreSQL takes over at the same address, and acknowledge events meanwhile', async () => {
  const { postgres, nodes, apiKey, send, waitForAll, count, readPersons } = await openTwoNodes()
  const decide = ({ url }: ServiceProcess) => post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: 'user 1' })
  for (const node of nodes) await decide(node)
  await send('before')
  await waitForAll()
  await postgres.stop()
  await send('meanwhile')
  for (const node of nodes) {
    await eventually(async () => (await statusOf(node, '/healthz')) === 503)
    // For load balancers: both still take events.
    expect(await statusOf(node, '/readyz')).toBe(200)
    expect(await decide(node)).toMatchObject({ featureFlags: {} })
  }
  await postgres.start(postgres.copyData())
  await send('after')
  await waitForAll()
  for (const node of nodes) {
    await expect
      .poll(() => count(node), { timeout: 10_000 })
      .toEqual([allOf('after'), allOf('before'), allOf('meanwhile')])
    expect(await statusOf(node, '/healthz')).toBe(200)
  }
  expect(await readPersons()).toEqual([{ last: 'after', persons: USERS }])
}, 240_000)

test('nodes go on with a replica that has forgotten the last changes; persons have them again with their next event', async () => {
  const { postgres, nodes, send, waitForAll, count, readPersons } = await openTwoNodes()
  await send('before')
  await waitForAll()
  await postgres.stop()
  const replica = postgres.copyData()
  await postgres.start()
  await send('forgotten')
  await waitForAll()
  expect(await readPersons()).toEqual([{ last: 'forgotten', persons: USERS }])
  await postgres.stop()
  await postgres.start(replica)
  expect(await readPersons()).toEqual([{ last: 'before', persons: USERS }])
  await send('after')
  await waitForAll()
  for (const node of nodes)
    await expect
      .poll(() => count(node), { timeout: 10_000 })
      .toEqual([allOf('after'), allOf('before'), allOf('forgotten')])
  expect(await readPersons()).toEqual([{ last: 'after', persons: USERS }])
}, 240_000)
