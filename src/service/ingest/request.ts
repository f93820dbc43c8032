import { isRecord, type Json, type JsonObject } from '../../wire/json.ts'
import { invalid } from '../refusal.ts'

/** A parsed body, of any of the protocol's shapes: one event, an array of events, or a batch. */
export interface IngestRequest {
  /** The project api key, from `api_key` or `token`; null when none is given. */
  readonly apiKey: string | null
  /** As parsed; not yet known to be events. */
  readonly events: readonly Json[]
  /** True when the body is one event: what is wrong with it is then wrong with the request. */
  readonly isSingle: boolean
  /** When the request was made by the sender's clock, as given. */
  readonly sentAt: Json | undefined
  /** True for an import: its timestamps are history, not to be corrected. */
  readonly historicalMigration: boolean
}

/** Tells the shape of a body's JSON. Throws `Refusal` (400) when the text is no JSON or has none of the shapes. */
export const parseRequest = (text: string): IngestRequest => {
  const json = parseJson(text)
  if (Array.isArray(json)) {
    return { apiKey: keyOfMany(json), events: json, isSingle: false, sentAt: null, historicalMigration: false }
  }
  if (!isRecord(json)) {
    throw invalid('invalid_shape', 'The body must be an event, an array of events, or an object with "batch".')
  }
  const { batch } = json
  if (batch === undefined) {
    return {
      apiKey: keyOf(json),
      events: [json],
      isSingle: true,
      sentAt: json['sent_at'],
      historicalMigration: json['historical_migration'] === true,
    }
  }
  if (!Array.isArray(batch)) throw invalid('invalid_batch', '"batch" must be an array of events.', 'batch')
  return {
    apiKey: keyOf(json) ?? keyOfMany(batch),
    events: batch,
    isSingle: false,
    sentAt: json['sent_at'],
    historicalMigration: json['historical_migration'] === true,
  }
}

/** A text without the byte order mark that some editors and libraries put before it: JSON must not begin with one. */
export const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

/** A text as JSON. Throws `Refusal` (400). */
export const parseJson = (text: string): Json => {
  if (text.trim() === '') throw invalid('empty_body', 'The body is empty; it must be JSON.')
  try {
    return JSON.parse(withoutMark(text))
  } catch (error) {
    throw invalid('invalid_json', `The body is not JSON: ${String(error)}`, null, error)
  }
}

/** The key of one object: `api_key`, `token`, or, as old senders have it, `properties.token`. */
export const keyOf = (object: JsonObject): string | null => {
  const { properties } = object
  for (const key of [object['api_key'], object['token'], isRecord(properties) ? properties['token'] : undefined]) {
    if (typeof key === 'string' && key.trim() !== '') return key.trim()
  }
  return null
}

/** The one key that all events of an array carry: a request is of one project. */
const keyOfMany = (events: readonly Json[]): string | null => {
  let found: string | null = null
  for (const event of events) {
    const key = isRecord(event) ? keyOf(event) : null
    if (key === null) continue
    if (found !== null && key !== found) {
      throw invalid('several_api_keys', 'All events of one request must carry the same project api key.', 'api_key')
    }
    found = key
  }
  return found
}
