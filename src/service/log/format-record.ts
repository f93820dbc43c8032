import { inspect } from 'node:util'
import { QueryError } from '../indexer/query-error.ts'
import { classifyFileError } from '../store/sqlite/classify-file-error.ts'

export type LogLevel = 'info' | 'warn' | 'error'

/** One entry of the log. */
export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly level: LogLevel
  /** The part of the service that says it. */
  readonly subject: string
  readonly message: string
}

/**
 * Formats a record: `2026-11-28T04:00:00.000Z warn  indexer: …`. A message with several lines stays one record, because its further lines are
 * indented. Other control characters are escaped: messages quote names that clients choose, which could change a terminal.
 */
export const formatRecord = ({ time, level, subject, message }: LogRecord): string => {
  const text = message
    .trimEnd()
    .replaceAll(/\r?\n[ \t]*/g, '\n    ')
    .replaceAll(CONTROL_CHARACTERS, escapeCharacter)
  return `${new Date(time).toISOString()} ${level.padEnd(5)} ${subject}: ${text}`
}

/** Those that move or colour what a terminal shows, and those that turn the direction of the line. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** As JSON writes it, where JSON escapes it. */
const escapeCharacter = (character: string): string =>
  character < ' '
    ? JSON.stringify(character).slice(1, -1)
    : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Formats a sentence, which has one line. */
export const toOneLine = (message: string): string => message.replaceAll(/\s*\n\s*/g, ' ').trim()

/**
 * Describes an error for the log. An error of a file, its disk or a query says all in one line. The operator can do nothing about others without the
 * place in the code, so they have their stack and their causes.
 */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return toOneLine(String(error))
  if (classifyFileError(error) === null && !(error instanceof QueryError)) return inspect(error)
  const messages: string[] = []
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    messages.push(toOneLine(cause.message).replace(/\.$/, ''))
  return `${messages.join(': ')}.`
}
