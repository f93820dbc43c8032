import { StoreServerError } from '../store-server-error.ts'

/** An error of the server; the client gives it the number and the name of the exception. */
interface ServerError extends Error {
  readonly code: string
  readonly type: string
}

export const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error && 'type' in error && typeof (error as Partial<ServerError>).code === 'string'

/** ClickHouse's numbers of errors about the rows of an INSERT, which it will never store. */
const DATA_CODES: ReadonlySet<string> = new Set(['6', '26', '27', '41', '72', '117', '376', '467'])

/** Whether rows are at fault, and not the server. */
export const isDataError = (error: unknown): boolean => isServerError(error) && DATA_CODES.has(error.code)

/** The message of an error without the version of the server, and what it was doing. */
export const toSentence = (message: string): string => {
  const [text = ''] = message.split(/: While executing |: while executing |\. Stack trace/)
  const trimmed = text.replace(/\s*\(version [^)]*\)\s*$/, '').trim()
  return /[.!?)]$/.test(trimmed) ? trimmed : `${trimmed}.`
}

/** ClickHouse's numbers of errors about users and passwords. */
const LOGIN_CODES: ReadonlySet<string> = new Set(['192', '193', '194', '516'])

/** Whether the user may not sign in. */
export const isLoginError = (error: unknown): boolean => isServerError(error) && LOGIN_CODES.has(error.code)

/** ClickHouse's numbers of the errors that a table or a database is missing. */
const MISSING_CODES: ReadonlySet<string> = new Set(['60', '81'])

export const isMissingError = (error: unknown): boolean => isServerError(error) && MISSING_CODES.has(error.code)

/** ClickHouse's numbers of errors about rights. A query of a member may cause them. */
const RIGHTS_CODES: ReadonlySet<string> = new Set(['164', '497'])

/** Whether the user may not do this. */
export const isRightsError = (error: unknown): boolean => isServerError(error) && RIGHTS_CODES.has(error.code)

/** A sentence for the operator about what the client or a server has thrown. */
export const describeServerError = (server: string, error: unknown): string => {
  if (isServerError(error)) return `${server} refuses: ${toSentence(error.message)}`
  if (!(error instanceof Error)) return `${server} does not answer: ${String(error)}.`
  // Node tries all addresses of a host, and then has an error without a message.
  const reason = error.message.trim().replace(/\.$/, '') || ('code' in error ? String(error.code) : error.name)
  return `${server} does not answer: ${reason}.`
}

/** Makes an error for the operator of what the client or a server has thrown. */
export const toStoreServerError = (place: string, error: unknown): StoreServerError =>
  error instanceof StoreServerError ? error : new StoreServerError(describeServerError(place, error), { cause: error })
