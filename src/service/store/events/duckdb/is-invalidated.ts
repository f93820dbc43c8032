import { QueryError } from '../../../indexer/query-error.ts'

/**
 * Whether DuckDB refuses everything until the file is opened again, because a checkpoint failed (on a full disk, for example). The commit
 * before it is on the disk.
 */
export const isInvalidated = (error: unknown): boolean => {
  // The other errors of queries quote the SQL.
  if (error instanceof QueryError) return error.code === 'store_unavailable' && isInvalidated(error.cause)
  return error instanceof Error && INVALIDATED.test(error.message)
}

/** DuckDB's messages begin with the kind of the error. */
const INVALIDATED = /^(?:IO|FATAL|TransactionContext) Error: .*(?:has been invalidated|COMMIT succeeded)/s
