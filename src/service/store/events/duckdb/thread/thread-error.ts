import type { QueryErrorCode } from '../../../../indexer/query-error.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { FailedCommitError, UnstorableError } from '../../event-store.ts'
import { createSqliteError, isSqliteError } from '../../../sqlite/sqlite.ts'
import { ReplacedFileError } from '../../../file/file-guard.ts'
import { StoreFileError } from '../../store-file-error.ts'

/** An error as a plain object: a copy in another thread would lose its class and its own properties. */
export type ThreadError = {
  readonly message: string
  readonly cause: ThreadError | null
} & (
  | { readonly kind: 'unstorable'; readonly reason: UnstorableError['reason'] }
  | { readonly kind: 'commit' }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'query'; readonly code: QueryErrorCode }
  | { readonly kind: 'sqlite'; readonly code: string }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'other' }
)

export const toThreadError = (error: unknown): ThreadError => {
  if (!(error instanceof Error)) return { kind: 'other', message: String(error), cause: null }
  const fields = { message: error.message, cause: error.cause === undefined ? null : toThreadError(error.cause) }
  if (error instanceof UnstorableError) return { kind: 'unstorable', reason: error.reason, ...fields }
  if (error instanceof FailedCommitError) return { kind: 'commit', ...fields }
  if (error instanceof StoreFileError) return { kind: 'file', file: error.file, ...fields }
  if (error instanceof QueryError) return { kind: 'query', code: error.code, ...fields }
  if (error instanceof ReplacedFileError) return { kind: 'replaced', ...fields, message: error.path }
  if (isSqliteError(error)) return { kind: 'sqlite', code: error.code, ...fields }
  return { kind: 'other', ...fields }
}

export const fromThreadError = (error: ThreadError): Error => {
  const { message } = error
  const cause = error.cause === null ? undefined : fromThreadError(error.cause)
  switch (error.kind) {
    case 'unstorable':
      return new UnstorableError(error.reason, cause ?? new Error(message))
    case 'commit':
      return new FailedCommitError(cause ?? new Error(message))
    case 'file':
      return new StoreFileError(error.file, cause ?? new Error(message))
    case 'query':
      return new QueryError(error.code, message, { cause })
    case 'sqlite':
      return createSqliteError(message, error.code)
    case 'replaced':
      return new ReplacedFileError(message)
    default:
      return new Error(message, { cause })
  }
}
