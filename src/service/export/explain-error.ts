import { HttpError } from '../http-error.ts'
import { QueryError } from '../indexer/query-error.ts'
import type { QueryErrorCode } from '../indexer/query-error.ts'
import { ExportError } from './export-error.ts'
import { ExportTooLargeError } from './export-files.ts'
import { PictureError } from './picture/picture-error.ts'

const PASSING_CODES: ReadonlySet<QueryErrorCode> = new Set(['project_busy', 'service_busy', 'store_unavailable'])

/** Whether the same job may succeed in a few seconds. */
export const mayPass = (error: unknown): boolean =>
  (error instanceof QueryError && PASSING_CODES.has(error.code)) ||
  (error instanceof PictureError && error.code === 'busy')

/** Why a query cannot be answered or drawn, for users; null for an error that may pass, or that only the log should tell. */
export const explainQueryError = (error: unknown): string | null => {
  if (mayPass(error)) return null
  if (error instanceof QueryError || error instanceof PictureError) return error.message
  return error instanceof HttpError && error.status < 500 ? error.message : null
}

/** Why an export has failed, for users; null for an error that only the log should tell. */
export const explainExportError = (error: unknown): string | null => {
  if (error instanceof ExportError) return error.message
  if (error instanceof ExportTooLargeError)
    return 'The export is larger than the space for exports. Export less, or delete others.'
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
    return 'The disk of the service is full. Export again when it has space.'
  return explainQueryError(error)
}
