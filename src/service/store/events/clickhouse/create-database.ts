import { claimDatabase, readOwners, requireOwner } from './claim-database.ts'
import { StoreServerError } from '../store-server-error.ts'
import type { ClickHouseConnection } from './connect.ts'
import { quoteName, quoteString } from '../../../sql/quote-clickhouse.ts'
import { encodeRow } from './event-rows.ts'
import { readRows } from './read-rows.ts'
import { runCommand } from './run-command.ts'
import { createMember, createSchemaTable, createTables, onCluster, schemaHash } from './schema.ts'
import { isLoginError, isMissingError } from './server-error.ts'
import { writeBlock } from './write-block.ts'

/**
 * Creates the database of a project, its tables and the user for the SQL of its members, as far as they are missing. A database whose
 * last statements were those of this version is only asked so, because they take much longer.
 *
 * @param owner See `claimDatabase`. Undefined for a database without one.
 */
export const createDatabase = async (connection: ClickHouseConnection, owner: string | undefined): Promise<void> => {
  const { server, administrator, database, memberName: name, memberPassword: password } = connection
  const tables = createTables(connection, await hasAnalyzer(connection))
  const users = createMember(connection, { name, password })
  const hash = schemaHash([...tables, ...users])
  if (await isCurrent(connection, owner, hash)) return
  await requireKind(connection)
  await runCommand(server, `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}${onCluster(connection)}`)
  if (owner !== undefined) await claimDatabase(connection, owner)
  for (const query of tables) await runCommand(administrator, query)
  for (const query of users) await runCommand(server, query)
  await runCommand(administrator, createSchemaTable(connection))
  await writeBlock(administrator, {
    table: 'applied_schemas',
    columns: ['hash'],
    rows: Buffer.from(encodeRow([hash])),
  })
}

/** Requires that the table of events, if there is one, is for as many servers as the setting says: it would stay as it is. */
const requireKind = async ({ server, database, cluster }: ClickHouseConnection): Promise<void> => {
  const [row] = await readRows<[string]>(
    server,
    `SELECT engine FROM system.tables WHERE database = ${quoteString(database)} AND name = 'stored_events'`,
  )
  if (row === undefined || (row[0] === 'Distributed') === (cluster !== undefined)) return
  throw new StoreServerError(
    cluster === undefined
      ? `The database ${database} in ClickHouse has tables of a cluster. Name it in the URL of --events, as before: cluster=….`
      : `The database ${database} in ClickHouse has tables of one server. Leave out cluster=${cluster}, or choose another prefix.`,
  )
}

/** Whether the server uses the analyzer of version 24.3. It may be told not to. */
const hasAnalyzer = async ({ server }: ClickHouseConnection): Promise<boolean> => {
  const query = `SELECT max(value = '1') FROM system.settings WHERE name IN ('enable_analyzer', 'allow_experimental_analyzer')`
  return (await readRows<[number]>(server, query))[0]?.[0] === 1
}

const isCurrent = async (
  connection: ClickHouseConnection,
  owner: string | undefined,
  hash: string,
): Promise<boolean> => {
  const { administrator, member } = connection
  try {
    const [last] = await readRows<[string]>(administrator, 'SELECT hash FROM applied_schemas ORDER BY at DESC LIMIT 1')
    if (last?.[0] !== hash) return false
    const owners = await readOwners(connection)
    if (owner !== undefined) requireOwner(connection, owner, owners)
    // Users are not in the backup of a database.
    await readRows(member, 'SELECT 1')
    return owner === undefined || owners.length > 0
  } catch (error) {
    if (isMissingError(error) || isLoginError(error)) return false
    throw error
  }
}
