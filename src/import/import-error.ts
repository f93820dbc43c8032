/**
 * Why an import ended before its end. A closed family:
 * - `invalid_option`: an option has no meaning, or a needed one is missing.
 * - `unreadable_input`: there is no such file, it is a folder, or it cannot be read.
 * - `wrong_format`: the input as a whole is not what its format says.
 * - `damaged_input`: the gzip of the input is damaged or cut off. All complete rows before that place were imported.
 * - `other_input`: the journal tells of a half-done import of another input, or with another host, key or format.
 * - `in_use`: another import is writing the same journal.
 * - `unusable_file`: the journal or the file of rejects cannot be read or written.
 * - `key_refused`: the service does not know the key.
 * - `unreachable`: nothing answers at the host.
 * - `not_the_service`: something answers at the host that is not the service.
 * - `events_refused`: the service refuses every event, so that the cause must be another than the events.
 * - `quota_limited`: the service takes no more events of this project.
 * - `gave_up`: as many tries in a row failed as `maxRetries` allows.
 */
export type ImportErrorCode =
  | 'invalid_option'
  | 'unreadable_input'
  | 'wrong_format'
  | 'damaged_input'
  | 'other_input'
  | 'in_use'
  | 'unusable_file'
  | 'key_refused'
  | 'unreachable'
  | 'not_the_service'
  | 'events_refused'
  | 'quota_limited'
  | 'gave_up'

/** What `importHistory` fails with. What was acknowledged before stays imported, and stands in the journal. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
  readonly code: ImportErrorCode

  constructor(code: ImportErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** What an unknown thrown value says of itself. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The word of a system error (`ENOENT`, `ECONNREFUSED`), of it or of what caused it; '' for any other. */
export const systemCode = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return systemCode(error.cause)
}
