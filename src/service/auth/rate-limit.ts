import { Refusal } from '../refusal.ts'

const SECOND_MS = 1000

/** Counts one more request of `key`, at `now` (ms since 1970). Throws `Refusal` (429) for one too many; those are not counted. */
export type RateLimit = (key: number, now: number) => void

/**
 * At most `most` requests in any span of `spanMs`, for each key. Exact: the moments of the last `most` requests are kept,
 * eight bytes each. It counts what comes to this process.
 */
export const createRateLimit = (most: number, spanMs: number): RateLimit => {
  const moments = new Map<number, { readonly ring: Float64Array; next: number }>()
  return (key, now) => {
    let seen = moments.get(key)
    if (seen === undefined) moments.set(key, (seen = { ring: new Float64Array(most).fill(-Infinity), next: 0 }))
    // The oldest of the last `most`; a clock that was turned back must not lock anyone out for longer than the span.
    const age = Math.abs(now - seen.ring[seen.next]!)
    if (age < spanMs) {
      throw new Refusal(
        429,
        {
          type: 'throttled_error',
          code: 'throttled',
          detail: `More than ${most} requests in ${spanMs / SECOND_MS} seconds for this project. Ask less often.`,
          attr: null,
        },
        { retryAfterSeconds: Math.ceil((spanMs - age) / SECOND_MS) },
      )
    }
    seen.ring[seen.next] = now
    seen.next = (seen.next + 1) % most
  }
}
