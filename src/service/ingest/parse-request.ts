import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { badRequest, HttpError } from '../http-error.ts'
import type { BodyFormat } from './body-format.ts'
import { describeNotJson } from './describe-not-json.ts'
import { convertPeopleUpdate } from './convert-people-update.ts'

/** A parsed body, of any of the protocol's shapes: one event, an array of events, or a batch. */
export interface IngestRequest {
  /** The project API key, from `api_key` or `token`; null when missing. */
  readonly apiKey: string | null
  /** Parsed but not yet checked. */
  readonly events: readonly Json[]
  /** True when the body is one event: an invalid event is then an invalid request. */
  readonly isSingle: boolean
  /** When the request was sent, by the sender's clock; not yet checked. */
  readonly sentAt: Json | undefined
  /** True for a historical migration, whose timestamps are not corrected. */
  readonly historicalMigration: boolean
}

/**
 * Parses a body and determines its shape. Throws `HttpError` (400) for invalid JSON or an unknown shape.
 *
 * @param format Bodies of the endpoint `engage` contain person updates, which are converted to events. In an array, an
 * unsupported update becomes null.
 */
export const parseRequest = (string: string, { endpoint }: Pick<BodyFormat, 'endpoint'> = {}): IngestRequest => {
  const json = parseJson(string)
  const isEngage = endpoint === 'engage'
  const readKey = isEngage ? (object: JsonObject) => trimKey(object['$token']) ?? readApiKey(object) : readApiKey
  const readEvents = (events: readonly Json[]): readonly Json[] => (isEngage ? events.map(convertOrDrop) : events)
  if (Array.isArray(json)) {
    return {
      apiKey: readCommonApiKey(json, readKey),
      events: readEvents(json),
      isSingle: false,
      sentAt: null,
      historicalMigration: false,
    }
  }
  if (!isRecord(json)) {
    throw badRequest('invalid_shape', 'The body must be an event, an array of events, or an object with "batch".')
  }
  const { batch } = json
  // Python senders use `sentAt`.
  const sentAt = json['sent_at'] ?? json['sentAt']
  const historicalMigration = readHistoricalMigration(json)
  if (batch === undefined) {
    return {
      apiKey: readKey(json),
      events: [isEngage ? convertPeopleUpdate(json) : json],
      isSingle: true,
      sentAt,
      historicalMigration,
    }
  }
  if (!Array.isArray(batch)) throw badRequest('invalid_batch', '"batch" must be an array of events.', 'batch')
  const apiKey = readKey(json) ?? readCommonApiKey(batch, readKey)
  return { apiKey, events: readEvents(batch), isSingle: false, sentAt, historicalMigration }
}

/** Returns null for an unsupported update, which is then dropped like a malformed event of a batch. */
const convertOrDrop = (update: Json): Json => {
  try {
    return convertPeopleUpdate(update)
  } catch (error) {
    if (error instanceof HttpError) return null
    throw error
  }
}

/** Rejects anything but a boolean: a migration that is stored as current events has wrong times forever. */
export const readHistoricalMigration = ({ historical_migration: value = null }: JsonObject): boolean => {
  if (value === null || typeof value === 'boolean') return value ?? false
  throw badRequest(
    'invalid_historical_migration',
    '"historical_migration" must be true, false or omitted.',
    'historical_migration',
  )
}

/** Removes the byte order mark that some editors and libraries write; `JSON.parse` rejects it. */
export const stripByteOrderMark = (string: string): string => (string.startsWith('\uFEFF') ? string.slice(1) : string)

/** Parses JSON. Throws `HttpError` (400) for an empty body or invalid JSON. */
export const parseJson = (string: string): Json => {
  if (string.trim() === '') throw badRequest('empty_body', 'The body is empty; send JSON.')
  try {
    return JSON.parse(stripByteOrderMark(string))
  } catch (error) {
    throw badRequest('invalid_json', describeNotJson(string, error), null, error)
  }
}

/** The API key in an object: `api_key`, `token`, or `properties.token`, which old senders use. */
export const readApiKey = (object: JsonObject): string | null => {
  const { api_key, token, properties } = object
  return trimKey(api_key) ?? trimKey(token) ?? (isRecord(properties) ? trimKey(properties['token']) : null)
}

const trimKey = (key: Json | undefined): string | null => (isNonBlankString(key) ? key.trim() : null)

/** The API key in an array of events. Throws when they have different ones, because a request is for one project. */
const readCommonApiKey = (events: readonly Json[], readKey: (object: JsonObject) => string | null): string | null => {
  let commonKey: string | null = null
  for (const event of events) {
    const key = isRecord(event) ? readKey(event) : null
    if (key === null) continue
    if (commonKey !== null && key !== commonKey) throw multipleKeysError()
    commonKey = key
  }
  return commonKey
}

/** 400: the request has events with different API keys. */
export const multipleKeysError = (): HttpError =>
  badRequest('several_api_keys', 'The events have different project API keys; send one request per project.', 'api_key')
