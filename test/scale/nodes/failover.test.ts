import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { eventually, parseKeys, queryRows, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { startPostgres } from '../support/postgres-server.mjs'
import { queryPostgres } from '../support/query-postgres.ts'
import { openCluster, post } from './cluster.ts'

const USERS = 20

/** Two nodes, and a PostgreSQL of their own. */
const openNodes = async () => {
  const postgres = await startPostgres(inject('postgresPackage')!)
  onTestFinished(() => postgres.remove())
  const { start, metadata } = await openCluster(postgres.url)
  const first = await start()
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const nodes = [first, await start()] as const
  /** Sends events of all users to both nodes in turn: each user identifies, and sets a property to the name of the events. */
  const send = async (event: string): Promise<void> => {
    for (const [index, { url }] of nodes.entries()) {
      const batch = Array.from({ length: USERS }, (_, user) => [
        { event, distinct_id: `phone ${user}`, uuid: randomUUID() },
        {
          event: '$identify',
          distinct_id: `user ${user}`,
          uuid: randomUUID(),
          properties: { $anon_distinct_id: `phone ${user}`, $set: { last: event, [`node${index}`]: event } },
        },
      ]).flat()
      await post(`${url}/batch/`, { api_key: apiKey, batch })
    }
  }
  const waitForAll = async (): Promise<void> => {
    for (const { url } of nodes) await waitForIndexer(url)
  }
  /** Events of each name, how many of them are different, and their persons, as a node answers. */
  const count = ({ url }: ServiceProcess): Promise<unknown[][]> =>
    queryRows(
      url,
      personalApiKey,
      `SELECT event, toInt32(count()), toInt32(uniqExact(uuid)), toInt32(uniqExact(person_id)) FROM events
        WHERE event != '$identify' GROUP BY event ORDER BY event`,
    )
  const readPersons = () =>
    queryPostgres(
      metadata,
      `select properties::json->>'last' as last, count(*)::int as persons from persons group by 1 order by 1`,
    )
  return { postgres, nodes, apiKey, send, waitForAll, count, readPersons }
}

const statusOf = async ({ url }: ServiceProcess, path: string): Promise<number> => (await fetch(`${url}${path}`)).status

/** The events of one call of `send`, as `count` answers them. */
const allOf = (event: string): readonly unknown[] => [event, 2 * USERS, 2 * USERS, USERS]

test('nodes go on when another PostgreSQL takes over at the same address, and acknowledge events meanwhile', async () => {
  const { postgres, nodes, apiKey, send, waitForAll, count, readPersons } = await openNodes()
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
}, 120_000)

test('nodes go on with a replica that has forgotten the last changes; persons have them again with their next event', async () => {
  const { postgres, nodes, send, waitForAll, count, readPersons } = await openNodes()
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
}, 120_000)
