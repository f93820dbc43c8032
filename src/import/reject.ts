import type { Row } from './row.ts'

/**
 * Why a row is not imported. A closed family:
 * - `invalid_utf8`: bytes that are no UTF-8. Converted by guess, names would be damaged for ever.
 * - `too_large`: more than a request can hold, by our count or by the service's.
 * - `invalid_json`: no JSON object.
 * - `broken_quote`: a quoted CSV cell that is never closed, or goes on after its closing quote.
 * - `invalid_csv`: a quote inside a CSV cell that is not quoted, or more or fewer cells than the header has.
 * - `invalid_properties`: properties that are no object.
 * - `invalid_event`: a field of a type that the service does not take.
 * - `no_event_name`, `no_distinct_id`, `no_timestamp`: what every event of history must have.
 * - `invalid_timestamp`: not a moment in ISO 8601.
 * - `rejected_by_service`: the service refused this very event.
 */
export type RejectReason =
  | 'invalid_utf8'
  | 'too_large'
  | 'invalid_json'
  | 'broken_quote'
  | 'invalid_csv'
  | 'invalid_properties'
  | 'invalid_event'
  | 'no_event_name'
  | 'no_distinct_id'
  | 'no_timestamp'
  | 'invalid_timestamp'
  | 'rejected_by_service'

/** What is wrong with a row: a word for programs and a sentence for people. */
export interface Fault {
  readonly reason: RejectReason
  readonly detail: string
}

/** A row that is not imported. */
export interface Reject extends Fault {
  readonly row: Row
  /** The row as JSON, where it could be read; else its text is shown. */
  readonly json: string | null
}

/** Most characters of a row's text that the file of rejects repeats. */
const MOST_TEXT = 10_000

/** One line of the file of rejects. The row stands last, and as it is: `jq -c .row` gives it back. */
export const rejectLine = ({ row, reason, detail, json }: Reject): string => {
  const head = JSON.stringify({ line: row.line, reason, detail }).slice(0, -1)
  return `${head},"row":${json ?? textJson(row.bytes)}}\n`
}

const textJson = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4 * MOST_TEXT)).toString()
  return JSON.stringify(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text)
}
