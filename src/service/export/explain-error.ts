import { HttpError } from '../http-error.ts'
import { QueryError } from '../indexer/query-error.ts'
import { ExportError } from './export-error.ts'
import { PictureError } from './picture/picture-error.ts'

/** Codes of errors of a full disk, of the operating system and of SQLite. */
const FULL_DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'])

/** Why a query cannot be answered or drawn, for users; null for an error that only the log should tell. */
export const explainQueryError = (error: unknown): string | null => {
  if (error instanceof ExportError || error instanceof QueryError || error instanceof PictureError) return error.message
  return error instanceof HttpError && error.status < 500 ? error.message : null
}

/** Why an export has failed, for users; null for an error that only the log should tell. */
export const explainExportError = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && FULL_DISK_CODES.has(error.code)
    ? 'The disk of the service is full. Export again when it has space.'
    : explainQueryError(error)
