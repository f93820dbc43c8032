import type { QueryErrorCode } from '../../../../../../src/service/indexer/query-error.ts'
import { QueryError } from '../../../../../../src/service/indexer/query-error.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'

/** The error of a query; fails if it has none. */
export const readError = async (
  store: EventStore,
  sql: string,
): Promise<{ readonly code: QueryErrorCode; readonly message: string }> => {
  try {
    await store.query({ sql, timeoutMs: 10_000, maxRows: 100 })
  } catch (error) {
    if (error instanceof QueryError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error(`There is no error: ${sql}`)
}
