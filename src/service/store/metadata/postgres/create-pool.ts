import { readFile } from 'node:fs/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { loadOptional } from '../../../load-optional.ts'
import { noop } from '../../../noop.ts'
import { findParser } from './parse-value.ts'
import type { PgClientClass, PgPackage, PgPoolClient } from './pg-package.ts'
import type { PostgresSource } from './postgres-source.ts'
import { encodeText } from './text-codec.ts'

/** Connections of one process: a flag request holds one for a millisecond, the writer of the indexer one. */
const MAX_CONNECTIONS = 10

/** Longest wait for a connection: of the pool, or to the server. */
const CONNECT_TIMEOUT_MS = 5_000

/** Longest wait for an answer. Without it, a server that is gone without a word would be waited for until TCP gives up. */
const QUERY_TIMEOUT_MS = 60_000

/** An idle connection is closed after this time. */
const IDLE_TIMEOUT_MS = 30_000

/** Creates a pool, which connects when it is used. Throws `StartError` when the package pg is not installed. */
export const createPool = async ({ url, passwordFile }: PostgresSource): Promise<PostgresPool> => {
  const { default: pg } = await loadOptional<PgPackage>('pg', '--metadata postgres://…')
  const pool = new pg.Pool({
    connectionString: url,
    Client: passwordFile === null ? pg.Client : withPasswordFile(pg.Client, passwordFile),
    max: MAX_CONNECTIONS,
    application_name: 'waymark-service',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: (type, format) => findParser(type) ?? pg.types.getTypeParser(type, format) },
  })
  // A connection that breaks while it is idle, or between two statements of a transaction. The pool replaces it, and the next statement
  // fails; without listeners, the process would end.
  pool.on('error', noop)
  pool.on('connect', (client) => client.on('error', noop))
  return { connect: async () => toKyselyClient(await pool.connect()), end: () => pool.end() }
}

/** Reads the password for each connection. A setting could not: the URL takes precedence, even without a password. */
const withPasswordFile = (Client: PgClientClass, path: string): PgClientClass =>
  class extends Client {
    constructor(config: object) {
      super(config)
      this.password = async () => (await readFile(path, 'utf8')).trim()
    }
  }

/** Encodes strings, and gives back no connection that may still wait for an answer. */
const toKyselyClient = (client: PgPoolClient): PostgresPoolClient => {
  let isBroken = false
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await client.query(
        sql,
        parameters.map((value) => (typeof value === 'string' ? encodeText(value) : value)),
      )
    } catch (error) {
      isBroken ||= !isAnswer(error)
      throw error
    }
  }
  return { query: query as PostgresPoolClient['query'], release: () => client.release(isBroken) }
}

/** Whether the server sent the error, and so waits for the next statement. Its errors have a severity, those of the connection none. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'
