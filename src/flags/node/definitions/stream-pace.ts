import type { StreamHead } from '../../../port/open-stream.ts'
import { retryAfterMs } from '../../../wire/retry-after.ts'

/** After so long without a byte a stream is given up, in milliseconds: the service sends one every 15 s. */
export const SILENCE_MS = 45_000

/** The wait before the first try again until the service names another, in milliseconds. */
export const REOPEN_DEFAULT_MS = 3_000

/** Bounds of what the service may name, in milliseconds, and the longest wait between tries while there is hope. */
const REOPEN_MIN_MS = 1_000
const REOPEN_MAX_MS = 60_000

/** The wait before looking again whether there is a stream now, in milliseconds. */
const ABSENT_MS = 5 * 60_000

/** Why a stream is no more, or never was. */
export type StreamEnd =
  /** It could be heard, and then broke off, fell silent, or was ended by the service. */
  | { readonly kind: 'lost'; readonly why: string }
  /** There was no answer at all. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** The service has no room for it now, or is ill. */
  | { readonly kind: 'busy'; readonly why: string; readonly askedMs: number }
  /** Not for this key, or not while the quota is used up: asking for the definitions tells. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The service has none, or something on the way keeps it back. */
  | { readonly kind: 'absent'; readonly why: string }

/** What the head of an answer means; undefined: it is a stream. */
export const judgeHead = ({ status, contentType, retryAfter }: StreamHead, now: number): StreamEnd | undefined => {
  if (status === 200) {
    if (/^text\/event-stream\b/i.test(contentType)) return undefined
    return { kind: 'absent', why: `the answer is no stream, but "${contentType}"` }
  }
  const why = `status ${status}`
  if ([401, 402, 403].includes(status)) return { kind: 'refused', why }
  if (status === 408 || status === 429 || (status >= 500 && status !== 501))
    return { kind: 'busy', why, askedMs: retryAfterMs(retryAfter, now) }
  return { kind: 'absent', why }
}

/**
 * Milliseconds until a stream is tried again: first after what the service has named, then doubling up to a minute, half of it random so that the
 * readers of one outage do not return together; five minutes where there seems to be none.
 *
 * @param failures How many ended in a row without having lasted, this one among them; 0 after one that has.
 * @param named By the service; it gives each reader another number.
 * @param random in [0, 1)
 */
export const reopenMs = (end: StreamEnd, failures: number, named: number, random: number): number => {
  if (end.kind === 'absent') return ABSENT_MS
  const least = Math.min(Math.max(named, REOPEN_MIN_MS), REOPEN_MAX_MS)
  const full = Math.min(least * 2 ** Math.max(failures - 1, 0), REOPEN_MAX_MS)
  const own = Math.max(least, full / 2 + (full / 2) * random)
  return end.kind === 'busy' ? Math.max(own, end.askedMs) : own
}
