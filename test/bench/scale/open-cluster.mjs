import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { spawnServer } from '../../scale/clickhouse/spawn-server.mjs'
import { installServers } from '../../scale/install-servers.mjs'
import { startPostgres } from '../../scale/support/postgres-server.mjs'
import { atExit } from '../at-exit.mjs'
import { startService } from '../service-process.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'

const SCALE = new URL('../../scale/', import.meta.url)
const POSTGRES = 'postgres-18'
const PASSWORD = 'secret of the administrator'
const DATABASE_PREFIX = 'bench'
/** The project that the first node creates. */
const DATABASE = `${DATABASE_PREFIX}_1`

/**
 * Starts a new PostgreSQL server, a new ClickHouse (chDB behind the HTTP server of the tests) and nodes of the service that share them.
 * PostgreSQL syncs to disk, as it does for users; ClickHouse syncs as much as it does by default.
 *
 * @param {number} nodeCount
 */
export const openCluster = async (nodeCount) => {
  installServers()
  const folder = createTemporaryFolder()
  /** @type {(() => unknown)[]} */
  const closing = [folder.remove]
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  try {
    const postgres = await startPostgres(POSTGRES, ['fsync=on'])
    const forgetPostgres = atExit(() => process.kill(postgres.pid(), 'SIGQUIT'))
    closing.push(async () => {
      forgetPostgres()
      await postgres.remove()
    })
    const { child: clickHouse, port } = await spawnServer(folder.path, 0, PASSWORD)
    const forgetClickHouse = atExit(() => clickHouse.kill('SIGKILL'))
    closing.push(async () => {
      forgetClickHouse()
      const exited = once(clickHouse, 'exit')
      clickHouse.kill('SIGKILL')
      await exited
    })
    const secrets = createTemporaryFolder()
    closing.push(() => secrets.remove())
    const passwordFile = join(secrets.path, 'password')
    writeFileSync(passwordFile, PASSWORD)
    const environment = {
      WAYMARK_METADATA: postgres.url,
      WAYMARK_EVENTS: `clickhouse://default@127.0.0.1:${port}/${DATABASE_PREFIX}`,
      WAYMARK_EVENTS_PASSWORD_FILE: passwordFile,
      NODE_OPTIONS: `--import=${new URL('support/resolve-pg.mjs', SCALE).href}`,
    }
    const nodes = []
    for (let index = 0; index < nodeCount; index++) {
      const { folder: dataFolder, ...node } = await startService(environment)
      closing.push(node.stop)
      // Only the first node prints the keys, because it creates the project.
      const { apiKey, personalApiKey } = nodes[0] ?? node
      nodes.push({ ...node, folder: dataFolder, apiKey, personalApiKey })
    }
    return {
      nodes,
      postgresPid: postgres.pid(),
      clickHousePid: clickHouse.pid,
      readVersions: async () => ({
        postgres: (await askPostgres(postgres.url, 'show server_version'))[0].server_version,
        clickHouse: (await askClickHouse(port, 'SELECT version() FORMAT TSV')).trim(),
      }),
      /** Bytes on disk: of the events after all their parts were merged, and of the persons. */
      async readClickHouseBytes() {
        await askClickHouse(port, `OPTIMIZE TABLE ${DATABASE}.stored_events FINAL`)
        const events = "table = 'stored_events'"
        // `PERSON_TABLES`, whichever a version has.
        const persons = "startsWith(table, 'stored_') AND NOT startsWith(table, 'stored_events')"
        const readBytes = async (tables) =>
          Number(
            await askClickHouse(
              port,
              `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${DATABASE}' AND ${tables}`,
            ),
          )
        return { events: await readBytes(events), persons: await readBytes(persons) }
      },
      /** Bytes on disk of PostgreSQL, and the number of persons in it. */
      async readMetadata() {
        const sql =
          'select pg_database_size(current_database()) as bytes, (select count(*) from persons)::int as persons'
        const [{ bytes, persons }] = await askPostgres(postgres.url, sql)
        return { bytes: Number(bytes), persons }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** @typedef {Awaited<ReturnType<typeof openCluster>>} Cluster */

const askPostgres = async (connectionString, sql) => {
  const { Client } = createRequire(new URL('package.json', SCALE))('pg')
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const askClickHouse = async (port, sql) => {
  const authorization = `Basic ${Buffer.from(`default:${PASSWORD}`).toString('base64')}`
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sql, headers: { authorization } })
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}
