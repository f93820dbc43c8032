import { EARLIEST_MS, isoMoment, LATEST_MS } from '../../wire/iso-moment.ts'

/** What a request says about when an event happened. */
export interface TimeSource {
  /** The event's `timestamp`: ISO 8601, or milliseconds since 1970. */
  readonly timestamp: unknown
  /** The event's `offset`: how many milliseconds before the request was sent it happened. */
  readonly offset: unknown
  /** When the request was sent, by the sender's clock: ISO 8601, or milliseconds since 1970. */
  readonly sentAt: unknown
  /** When the request arrived, by the service's clock: milliseconds since 1970. */
  readonly receivedAt: number
  /** False where the sender's clock is not to be doubted: imports, `$ignore_sent_at`. */
  readonly isCorrected: boolean
}

/**
 * A sender's clock that seems wrong by less than this is believed: the difference is then mostly the time the request was
 * on its way, and the event's own time is the better one.
 */
const BELIEVED_SKEW_MS = 60_000

/** No event happens later than this after its arrival: no time zone is further ahead, so the value is a mistake. */
const MOST_AHEAD_MS = 23 * 3_600_000

/** The moment an event happened, in milliseconds since 1970 by the service's clock. */
export const resolveTimestamp = ({ timestamp, offset, sentAt, receivedAt, isCorrected }: TimeSource): number => {
  const resolved = claimed(timestamp, offset, sentAt, receivedAt, isCorrected)
  return resolved > receivedAt + MOST_AHEAD_MS && isCorrected ? receivedAt : resolved
}

const claimed = (
  timestamp: unknown,
  offset: unknown,
  sentAt: unknown,
  receivedAt: number,
  isCorrected: boolean,
): number => {
  const own = parseTime(timestamp)
  if (own !== null) {
    const sent = isCorrected ? parseTime(sentAt) : null
    const skew = sent === null ? 0 : receivedAt - sent
    return Math.abs(skew) > BELIEVED_SKEW_MS ? own + skew : own
  }
  if (typeof offset === 'number' && offset >= 0 && receivedAt - offset >= EARLIEST_MS)
    return Math.round(receivedAt - offset)
  return receivedAt
}

/** Milliseconds since 1970, or null when the value is no moment. What is no ISO 8601 is read as far as ECMAScript can. */
const parseTime = (value: unknown): number | null => {
  const moment = typeof value === 'number' ? value : typeof value === 'string' ? momentIn(value.trim()) : Number.NaN
  return moment >= EARLIEST_MS && moment <= LATEST_MS ? Math.round(moment) : null
}

const momentIn = (text: string): number => isoMoment(text) ?? Date.parse(text)
