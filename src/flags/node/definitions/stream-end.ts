import type { StreamHead } from '../../../port/open-stream.ts'
import { parseRetryAfterMs } from '../../../wire/retry-after.ts'

/** A stream without data for this time is closed. The service sends a heartbeat every 15 s. */
export const STREAM_IDLE_TIMEOUT_MS = 45_000

/** Delay before the first reconnect, unless the service sets another one. */
export const DEFAULT_RECONNECT_MS = 1_000

/** Bounds of the delay that the service may set. The upper bound also limits the back-off. */
const MIN_RECONNECT_MS = 500
const MAX_RECONNECT_MS = 60_000

/** The delay grows with the time without a stream: it is at most this share of that time. */
const BACKOFF_SHARE = 0.25

/** Delay before the next attempt when the service does not support streams. */
const UNSUPPORTED_RETRY_MS = 5 * 60_000

/** Why a stream ended or could not be opened. */
export type StreamEnd =
  /** A working stream broke, timed out, or was closed by the service. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** There was no response. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The service is overloaded or has failed. */
  | { readonly kind: 'busy'; readonly reason: string; readonly retryAfterMs: number }
  /** The key was refused or the quota is exceeded; the response to a request for the definitions tells which. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The service has no streams, or a proxy buffers the response. */
  | { readonly kind: 'unsupported'; readonly reason: string }

/** Returns undefined if the response is an event stream. */
export const classifyStreamHead = (
  { status, contentType, retryAfter }: StreamHead,
  now: number,
): StreamEnd | undefined => {
  if (status === 200) {
    if (/^text\/event-stream\b/i.test(contentType)) return undefined
    return { kind: 'unsupported', reason: `the response is "${contentType}", not an event stream` }
  }
  const reason = `status ${status}`
  if ([401, 402, 403].includes(status)) return { kind: 'refused', reason }
  if (status === 408 || status === 429 || (status >= 500 && status !== 501))
    return { kind: 'busy', reason, retryAfterMs: parseRetryAfterMs(retryAfter, now) }
  return { kind: 'unsupported', reason }
}

/**
 * Milliseconds until the next attempt to open a stream: a share of the time without one so far, which is random between an eighth and a
 * quarter, at least `baseMs` and at most a minute. Without support for streams it is five minutes.
 *
 * So readers are back within 3 s of a restart that takes up to 12 s, if they see the connection close. If packets are dropped, they first
 * wait `STREAM_IDLE_TIMEOUT_MS`. In a longer outage the attempts become rare: about 30 in the first four minutes, then one or two a minute.
 * The random part, and the different `baseMs` of each reader, keep readers from reconnecting at the same time.
 *
 * @param downMs Time without a stream so far, as `Outage` counts it.
 * @param baseMs The delay that the service has set. The service sets a different delay for each reader.
 * @param random In [0, 1).
 */
export const reconnectDelayMs = (end: StreamEnd, downMs: number, baseMs: number, random: number): number => {
  if (end.kind === 'unsupported') return UNSUPPORTED_RETRY_MS
  const minMs = Math.min(Math.max(baseMs, MIN_RECONNECT_MS), MAX_RECONNECT_MS)
  const maxMs = Math.min(downMs * BACKOFF_SHARE, MAX_RECONNECT_MS)
  const delayMs = Math.max(minMs, maxMs / 2 + (maxMs / 2) * random)
  return end.kind === 'busy' ? Math.max(delayMs, end.retryAfterMs) : delayMs
}
