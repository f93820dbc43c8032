import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { noop } from '../../../noop.ts'
import { loadPg } from './load-pg.ts'
import { findParser } from './parse-value.ts'
import type { PgPoolClient } from './pg-package.ts'
import type { PostgresSource } from './postgres-source.ts'
import { encodeText } from './text-codec.ts'

/** Connections of one process: a flag request holds one for a millisecond, the writer of the indexer one. */
const MAX_CONNECTIONS = 10

/** An idle connection is closed after this time. */
const IDLE_TIMEOUT_MS = 30_000

/** Creates a pool, which connects when it is used. Throws `StartError` when the package pg is not installed. */
export const createPool = async (source: PostgresSource): Promise<PostgresPool> => {
  const { pg, Client, settings } = await loadPg(source)
  const pool = new pg.Pool({
    ...settings,
    Client,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    types: { getTypeParser: (type, format) => findParser(type) ?? pg.types.getTypeParser(type, format) },
  })
  // A connection that breaks while it is idle, or between two statements of a transaction. The pool replaces it, and the next statement
  // fails; without listeners, the process would end.
  pool.on('error', noop)
  pool.on('connect', (client) => client.on('error', noop))
  return { connect: async () => toKyselyClient(await pool.connect()), end: () => pool.end() }
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
