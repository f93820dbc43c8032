import { MAX_TIME_MS, MIN_TIME_MS } from '../../wire/bounds.ts'
import { parseIsoTime } from '../../wire/parse-iso-time.ts'
import { parseUsualTime } from './parse-usual-time.ts'

/** The fields of an event and its request that determine its time. */
export interface TimeSource {
  /** The event's `timestamp`: ISO 8601, or milliseconds since 1970. */
  readonly timestamp: unknown
  /** The event's `offset`: how many milliseconds it happened before the request was sent. */
  readonly offset: unknown
  /** When the request was sent, by the sender's clock: ISO 8601, or milliseconds since 1970. */
  readonly sentAt: unknown
  /** When the request arrived, by the service's clock: milliseconds since 1970. */
  readonly receivedAt: number
  /** False where the timestamp must not be corrected: historical migrations, `$ignore_sent_at`. */
  readonly isCorrected: boolean
}

/**
 * A smaller clock difference is not corrected. Most of it is the time the request needed to arrive, so the event's own time
 * is more accurate.
 */
const MAX_IGNORED_SKEW_MS = 60_000

/** An event cannot be further in the future: no time zone is further ahead, so a later time is a mistake. */
const MAX_AHEAD_MS = 23 * 3_600_000

/** Computes when an event happened, in milliseconds since 1970 by the service's clock. */
export const resolveTimestamp = ({ timestamp, offset, sentAt, receivedAt, isCorrected }: TimeSource): number => {
  const eventTimeMs = computeTimestamp(timestamp, offset, sentAt, receivedAt, isCorrected)
  return eventTimeMs > receivedAt + MAX_AHEAD_MS && isCorrected ? receivedAt : eventTimeMs
}

const computeTimestamp = (
  timestamp: unknown,
  offset: unknown,
  sentAt: unknown,
  receivedAt: number,
  isCorrected: boolean,
): number => {
  const eventTime = parseTime(timestamp)
  if (eventTime !== null) {
    const sentTime = isCorrected ? parseTime(sentAt) : null
    const skew = sentTime === null ? 0 : receivedAt - sentTime
    return Math.abs(skew) > MAX_IGNORED_SKEW_MS ? eventTime + skew : eventTime
  }
  if (typeof offset === 'number' && offset >= 0 && receivedAt - offset >= MIN_TIME_MS)
    return Math.round(receivedAt - offset)
  return receivedAt
}

/** Milliseconds since 1970, or null for an invalid time. Strings that are not ISO 8601 are parsed by `Date.parse`. */
const parseTime = (value: unknown): number | null => {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? parseDateString(value) : Number.NaN
  return time >= MIN_TIME_MS && time <= MAX_TIME_MS ? Math.round(time) : null
}

const parseDateString = (string: string): number => {
  const usualTime = parseUsualTime(string)
  if (!Number.isNaN(usualTime)) return usualTime
  const trimmed = string.trim()
  return parseIsoTime(trimmed) ?? Date.parse(trimmed)
}
