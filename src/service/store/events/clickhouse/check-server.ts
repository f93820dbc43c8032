import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { StartError } from '../../../data-folder.ts'
import { quoteName, quoteString } from '../../../sql/quote-clickhouse.ts'
import { readClickHouseOptions } from './clickhouse-source.ts'
import type { ClickHouseSource } from './clickhouse-source.ts'
import { connectPlainly, connectServer, describeServer } from './connect.ts'
import type { ClickHouseOptions } from './connect.ts'
import { MAX_READ_MS, readRows } from './read-rows.ts'
import { runCommand } from './run-command.ts'
import { onCluster } from './schema.ts'
import { describeServerError, isLoginError, isRightsError } from './server-error.ts'

/** The oldest server that is supported. */
const OLDEST_VERSION = [23, 8] as const

/**
 * Checks a server before it is used: that it answers, its version, and that the user may create databases and users.
 *
 * @returns Null, or why the server cannot be used now though it may later: it is away, or busy.
 * @throws StartError for what the operator has to change.
 */
export const checkServer = async (source: ClickHouseSource): Promise<string | null> => {
  const options = await readOptions(source)
  const server = describeServer(options)
  const client = await connectServer(options)
  try {
    await checkVersion(options, server)
    await checkCluster(client, options)
    await checkRights(client, options)
    return null
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason = describeServerError(server, error)
    if (isLoginError(error) || isRightsError(error))
      throw new StartError(
        `${reason} The user "${options.username}" of --events must be able to sign in, and to create databases, tables and users.`,
        { cause: error },
      )
    return reason
  } finally {
    await client.close()
  }
}

const readOptions = async (source: ClickHouseSource): Promise<ClickHouseOptions> => {
  try {
    return await readClickHouseOptions(source)
  } catch (error) {
    throw new StartError(`--events cannot be used: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    })
  }
}

const readVersion = async (options: ClickHouseOptions): Promise<string> => {
  const client = await connectPlainly(options)
  try {
    const answer = await client.query({
      query: 'SELECT version()',
      format: 'TabSeparated',
      abort_signal: AbortSignal.timeout(MAX_READ_MS),
    })
    return (await answer.text()).trim()
  } finally {
    await client.close()
  }
}

const checkVersion = async (options: ClickHouseOptions, server: string): Promise<void> => {
  const version = await readVersion(options)
  const [major = NaN, minor = NaN] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_VERSION
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new StartError(`${server} is version ${version}; the events need ${OLDEST_VERSION.join('.')} or newer.`)
}

const checkCluster = async (client: ClickHouseClient, options: ClickHouseOptions): Promise<void> => {
  const { cluster } = options
  if (cluster === undefined) return
  const query = `SELECT 1 FROM system.clusters WHERE cluster = ${quoteString(cluster)} LIMIT 1`
  if ((await readRows(client, query)).length === 0)
    throw new StartError(`${describeServer(options)} knows no cluster "${cluster}": see its table system.clusters.`)
}

/** Does what each new project needs, and takes it back. */
const checkRights = async (client: ClickHouseClient, options: ClickHouseOptions): Promise<void> => {
  const name = quoteName(`${options.databasePrefix}_check_${randomUUID().slice(0, 8)}`)
  const everywhere = onCluster(options)
  try {
    await runCommand(client, `CREATE DATABASE ${name}${everywhere}`)
    const password = quoteString(randomUUID())
    await runCommand(client, `CREATE USER ${name}${everywhere} IDENTIFIED WITH sha256_password BY ${password}`)
    try {
      await runCommand(client, `GRANT${everywhere} SELECT ON ${name}.* TO ${name}`)
    } finally {
      await runCommand(client, `DROP USER ${name}${everywhere}`)
    }
  } finally {
    await runCommand(client, `DROP DATABASE IF EXISTS ${name}${everywhere}`)
  }
}
