import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { invalid, Refusal } from '../refusal.ts'
import type { BodyForm } from './form.ts'
import { eventOfUpdate } from './people-update.ts'

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

/**
 * Tells the shape of a body's JSON. Throws `Refusal` (400) when the text is no JSON or has none of the shapes.
 *
 * @param form What the endpoint makes of the body: to `engage` come updates of people, which are answered as events; of many, null for one that
 * cannot be carried out.
 */
export const parseRequest = (text: string, { endpoint }: Pick<BodyForm, 'endpoint'> = {}): IngestRequest => {
  const json = parseJson(text)
  const isPeople = endpoint === 'engage'
  const readKey = isPeople ? (object: JsonObject) => textKey(object['$token']) ?? keyOf(object) : keyOf
  const readMany = (events: readonly Json[]): readonly Json[] => (isPeople ? events.map(eventOrNothing) : events)
  if (Array.isArray(json)) {
    return {
      apiKey: keyOfMany(json, readKey),
      events: readMany(json),
      isSingle: false,
      sentAt: null,
      historicalMigration: false,
    }
  }
  if (!isRecord(json)) {
    throw invalid('invalid_shape', 'The body must be an event, an array of events, or an object with "batch".')
  }
  const { batch } = json
  // Senders in Python name it so.
  const sentAt = json['sent_at'] ?? json['sentAt']
  const historicalMigration = isHistorical(json)
  if (batch === undefined) {
    return {
      apiKey: readKey(json),
      events: [isPeople ? eventOfUpdate(json) : json],
      isSingle: true,
      sentAt,
      historicalMigration,
    }
  }
  if (!Array.isArray(batch)) throw invalid('invalid_batch', '"batch" must be an array of events.', 'batch')
  const apiKey = readKey(json) ?? keyOfMany(batch, readKey)
  return { apiKey, events: readMany(batch), isSingle: false, sentAt, historicalMigration }
}

/** One update of many that cannot be carried out is dropped as a bad event of many is: null, in its place, is none. */
const eventOrNothing = (update: Json): Json => {
  try {
    return eventOfUpdate(update)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Anything but a boolean is refused: an import that is taken for events of today has wrong times for ever. */
const isHistorical = ({ historical_migration: given = null }: JsonObject): boolean => {
  if (given === null || typeof given === 'boolean') return given ?? false
  throw invalid(
    'invalid_historical_migration',
    '"historical_migration" must be true, false or left out.',
    'historical_migration',
  )
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
  const { api_key, token, properties } = object
  return textKey(api_key) ?? textKey(token) ?? (isRecord(properties) ? textKey(properties['token']) : null)
}

const textKey = (key: Json | undefined): string | null =>
  typeof key === 'string' && key.trim() !== '' ? key.trim() : null

/** The one key that all events of an array carry: a request is of one project. */
const keyOfMany = (events: readonly Json[], readKey: (object: JsonObject) => string | null): string | null => {
  let found: string | null = null
  for (const event of events) {
    const key = isRecord(event) ? readKey(event) : null
    if (key === null) continue
    if (found !== null && key !== found) {
      throw severalKeys()
    }
    found = key
  }
  return found
}

/** 400: a request is of one project. */
export const severalKeys = (): Refusal =>
  invalid('several_api_keys', 'All events of one request must carry the same project api key.', 'api_key')
