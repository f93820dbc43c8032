import { expect, test } from 'vitest'
import { eventually } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { post } from './cluster.ts'
import { allOf, openTwoNodes, USERS } from './two-nodes.ts'

const statusOf = async ({ url }: ServiceProcess, path: string): Promise<number> => (await fetch(`${url}${path}`)).status

test('nodes go on when another PostgreSQL takes over at the same address, and acknowledge events meanwhile', async () => {
  const { postgres, nodes, apiKey, send, waitForAll, count, readPersons, createFlag } = await openTwoNodes()
  const decide = ({ url }: ServiceProcess) => post(`${url}/decide?v=3`, { api_key: apiKey, distinct_id: 'user 1' })
  await createFlag('new')
  const flags = { featureFlags: { new: true } }
  for (const node of nodes) await expect.poll(() => decide(node), { timeout: 10_000 }).toMatchObject(flags)
  await send('before')
  await waitForAll()
  await postgres.stop()
  await send('meanwhile')
  for (const node of nodes) {
    await eventually(async () => (await statusOf(node, '/healthz')) === 503)
    // For load balancers: both still take events.
    expect(await statusOf(node, '/readyz')).toBe(200)
    expect(await decide(node)).toMatchObject(flags)
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

test('nodes go on with a replica that has forgotten the last changes, and queries forget them, too', async () => {
  const { postgres, nodes, apiKey, send, waitForAll, readPersons, readCopies } = await openTwoNodes()
  await send('before')
  await waitForAll()
  await postgres.stop()
  const replica = postgres.copyData()
  await postgres.start()
  // Many more changes than follow.
  for (let time = 0; time < 3; time++) await send('forgotten')
  await waitForAll()
  expect(await readPersons()).toEqual([{ last: 'forgotten', persons: USERS }])
  await postgres.stop()
  await postgres.start(replica)
  expect(await readPersons()).toEqual([{ last: 'before', persons: USERS }])
  for (const [index, { url }] of nodes.entries())
    await post(`${url}/batch/`, {
      api_key: apiKey,
      batch: [{ event: '$set', distinct_id: `user ${index}`, properties: { $set: { last: 'after' } } }],
    })
  await waitForAll()
  expect(await readPersons()).toEqual([
    { last: 'after', persons: 2 },
    { last: 'before', persons: USERS - 2 },
  ])
  for (const node of nodes)
    await expect
      .poll(() => readCopies(node), { timeout: 10_000 })
      .toEqual([
        ['after', 2],
        ['before', USERS - 2],
      ])
  await send('last')
  await waitForAll()
  for (const node of nodes) await expect.poll(() => readCopies(node), { timeout: 10_000 }).toEqual([['last', USERS]])
}, 240_000)
