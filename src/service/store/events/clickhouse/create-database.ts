import { claimDatabase } from './claim-database.ts'
import type { ClickHouseConnection } from './connect.ts'
import { quoteName, quoteString } from '../../../sql/quote-clickhouse.ts'
import { runCommand } from './run-command.ts'
import { READABLE_TABLES, TABLES } from './schema.ts'

/**
 * Creates the database of a project, its tables and the user for the SQL of its members, as far as they are missing.
 *
 * @param owner See `claimDatabase`. Undefined for a database without one.
 */
export const createDatabase = async (connection: ClickHouseConnection, owner: string | undefined): Promise<void> => {
  const { server, administrator, database, memberName, memberPassword } = connection
  await runCommand(server, `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`)
  if (owner !== undefined) await claimDatabase(connection, owner)
  for (const query of TABLES) await runCommand(administrator, query)
  const user = quoteName(memberName)
  const identified = `IDENTIFIED WITH sha256_password BY ${quoteString(memberPassword)}`
  await runCommand(server, `CREATE USER IF NOT EXISTS ${user} ${identified}`)
  // The password of the administrator, from which it is derived, may have changed.
  await runCommand(server, `ALTER USER ${user} ${identified}`)
  for (const table of READABLE_TABLES)
    await runCommand(server, `GRANT SELECT ON ${quoteName(database)}.${quoteName(table)} TO ${user}`)
}
