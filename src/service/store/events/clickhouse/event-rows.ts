import { toObject } from '../../../json/json-members.ts'
import type { StoredEvent } from '../event-store.ts'
import { toWellFormed } from '../to-well-formed-json.ts'
import { encodeJson } from './encode-json.ts'
import { hourOf } from './uuid-hour.ts'

/** The columns of `stored_events` that are written, in the order of `encodeEvent`. */
export const EVENT_COLUMNS = [
  'uuid',
  'uuid_hour',
  'event',
  'distinct_id',
  'origin_id',
  'timestamp',
  'received_at',
  'historical',
  'properties',
  'version',
] as const

/** The event that was received first stays, so that it has the highest version. */
const LATEST_MS = 2 ** 52

/** The times that a `DateTime64(3)` has: 1900 to 2299. */
const MIN_TIME_MS = Date.UTC(1900, 0, 1)
const MAX_TIME_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999)

/** The nearest time that ClickHouse can have. */
export const clampTime = (milliseconds: number): number => Math.min(Math.max(milliseconds, MIN_TIME_MS), MAX_TIME_MS)

/** Writes a time as ClickHouse reads it; one that it cannot have becomes the nearest one. */
export const encodeTime = (milliseconds: number): string =>
  new Date(clampTime(milliseconds)).toISOString().slice(0, -1).replace('T', ' ')

/**
 * Writes an event as a line of `JSONCompactEachRow`. Throws `RangeError` for properties that are nested too deeply, and `SyntaxError` for
 * damaged ones.
 */
export const encodeEvent = (
  { uuid, event, distinctId, timestamp, receivedAt, isHistorical, properties }: StoredEvent,
  originId: string,
): string =>
  encodeRow([
    uuid,
    hourOf(uuid),
    toWellFormed(event),
    toWellFormed(distinctId),
    originId,
    encodeTime(timestamp),
    encodeTime(receivedAt),
    isHistorical,
    encodeJson(toObject(properties)),
    LATEST_MS - receivedAt,
  ])

export const encodeRow = (values: readonly unknown[]): string => `${JSON.stringify(values)}\n`
