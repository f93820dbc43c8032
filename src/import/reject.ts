import type { Row } from './row.ts'

/**
 * Why a row is not imported. This set is closed:
 * - `invalid_utf8`: the row is not UTF-8. A guessed encoding would damage names for good.
 * - `too_large`: the row or its event does not fit into a request.
 * - `invalid_json`: the row is not a JSON object.
 * - `broken_quote`: a quoted CSV cell is never closed, or continues after its closing quote.
 * - `invalid_csv`: a quote stands inside an unquoted CSV cell, or the row has more or fewer cells than the header.
 * - `invalid_properties`: the properties are not a JSON object.
 * - `invalid_event`: a field has a type that the service does not accept.
 * - `no_event_name`, `no_distinct_id`, `no_timestamp`: a required field is missing or empty.
 * - `id_too_long`: an id has more than 400 characters.
 * - `invalid_timestamp`: the timestamp is not an ISO 8601 time.
 * - `rejected_by_service`: the service refused this event.
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
  | 'id_too_long'
  | 'no_timestamp'
  | 'invalid_timestamp'
  | 'rejected_by_service'

/** What is wrong with a row: a reason code for programs and a sentence for people. */
export interface Fault {
  readonly reason: RejectReason
  readonly detail: string
}

/** A row that is not imported. */
export interface Reject extends Fault {
  readonly row: Row
  /** The row as JSON; null if it could not be parsed. The rejects file then has the row as a string. */
  readonly json: string | null
}

/** Maximum characters that the rejects file repeats of a row that could not be parsed. */
const MAX_ROW_TEXT_LENGTH = 10_000

/** Formats one line of the rejects file. The row comes last and unchanged, so that `jq -c .row` returns it. */
export const formatReject = ({ row, reason, detail, json }: Reject): string => {
  const start = JSON.stringify({ line: row.line, reason, detail }).slice(0, -1)
  return `${start},"row":${json ?? stringifyRow(row.bytes)}}\n`
}

const stringifyRow = (bytes: Uint8Array): string => {
  const byteLength = Math.min(bytes.length, 4 * MAX_ROW_TEXT_LENGTH)
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, byteLength).toString()
  return JSON.stringify(row.length > MAX_ROW_TEXT_LENGTH ? `${row.slice(0, MAX_ROW_TEXT_LENGTH)}…` : row)
}
