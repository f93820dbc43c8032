/**
 * Why an import failed before its end. This set is closed:
 * - `invalid_option`: an option is missing or has an invalid value.
 * - `unreadable_input`: the file does not exist, is a folder, or cannot be read.
 * - `wrong_format`: the input as a whole is not in its format.
 * - `damaged_input`: the gzip of the input is damaged or truncated. All complete rows before the damage were imported.
 * - `other_input`: the journal belongs to an unfinished import of another input, or with another host, key or format.
 * - `in_use`: another import is using the same journal.
 * - `unusable_file`: the journal or the rejects file cannot be read or written.
 * - `key_refused`: the service does not know the key.
 * - `unreachable`: the host accepts no connection.
 * - `not_the_service`: the host responds, but it is not the service.
 * - `events_refused`: the service refuses every event, so the cause is not a single event.
 * - `quota_limited`: the service accepts no more events of this project.
 * - `gave_up`: more attempts failed in a row than `maxRetries` allows.
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

/**
 * The error that `importHistory` and `checkHistory` reject with. Events that were acknowledged before it stay imported, and the journal
 * records them.
 */
export class ImportError extends Error {
  override readonly name = 'ImportError'
  readonly code: ImportErrorCode

  constructor(code: ImportErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Returns the message of a thrown value, whatever its type. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the code of a system error, such as `ENOENT`, from the error or its causes; '' if there is none. */
export const systemErrorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return systemErrorCode(error.cause)
}
