/** Codes of Node for a server that cannot be reached. */
const NETWORK_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html): lost connections, missing resources such as
 * connections, a stop or start of the server, a server that only reads after a failover, and transactions that paused for too long or were
 * ended for another.
 */
const SERVER_CODE = /^(08...|53...|57P0[1-3]|25006|25P03|40001|40P01)$/

/** Codes of transactions that PostgreSQL ended for another, and that succeed when they are run again. */
const CONFLICT_CODE = /^(40001|40P01)$/

/** What the package pg says, without a code. */
const CLIENT_MESSAGE = /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout)/

/** Whether an error, by itself or its causes, says that PostgreSQL cannot be used now, and so that the same request may succeed later. */
export const isPostgresUnavailable = (error: unknown): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = codeOf(cause)
    if (NETWORK_CODES.has(code) || SERVER_CODE.test(String(code)) || CLIENT_MESSAGE.test(cause.message)) return true
  }
  return false
}

/** Whether an error of PostgreSQL says that a transaction was ended because it and another could not both go on. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && CONFLICT_CODE.test(String(codeOf(error)))

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)
