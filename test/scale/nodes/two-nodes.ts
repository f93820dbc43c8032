import { randomUUID } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { parseKeys, queryRows, waitForIndexer } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { startPostgres } from '../support/postgres-server.mjs'
import { queryPostgres } from '../support/query-postgres.ts'
import { openCluster, post } from './cluster.ts'

export const USERS = 20

/** Two nodes, and a PostgreSQL of their own. */
export const openTwoNodes = async () => {
  const postgres = await startPostgres(inject('postgresPackage')!)
  onTestFinished(() => postgres.remove())
  const { start, metadata, clickHouse } = await openCluster(postgres.url)
  const folders = [createTempFolder(), createTempFolder()] as const
  const nodes: [ServiceProcess, ServiceProcess] = [await start(folders[0]), await start(folders[1])]
  const { apiKey, personalApiKey } = parseKeys(nodes[0].output())
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
  /** The same of the copies of the persons in ClickHouse, as a node answers. */
  const readCopies = ({ url }: ServiceProcess): Promise<unknown[][]> =>
    queryRows(
      url,
      personalApiKey,
      `SELECT JSONExtractString(properties, 'last') AS last, toInt32(count()) FROM persons GROUP BY last ORDER BY last`,
    )
  /** Creates a flag that is on for everybody. */
  const createFlag = async (key: string): Promise<void> => {
    const { status } = await fetch(`${nodes[0].url}/api/projects/1/feature_flags/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key, filters: { groups: [{}] } }),
    })
    if (status !== 201) throw new Error(`The flag was not created (${status}).`)
  }
  const stopAll = () => Promise.all(nodes.map((node) => node.end('SIGTERM')))
  const startAll = async (): Promise<void> => {
    for (const [index, folder] of folders.entries()) nodes[index] = await start(folder)
  }
  return {
    postgres,
    clickHouse,
    nodes,
    apiKey,
    send,
    waitForAll,
    count,
    readPersons,
    readCopies,
    createFlag,
    stopAll,
    startAll,
  }
}

/** The events of one call of `send`, as `count` answers them. */
export const allOf = (event: string): readonly unknown[] => [event, 2 * USERS, 2 * USERS, USERS]
