import { HttpError } from '../http-error.ts'

const SECOND_MS = 1000

/**
 * Counts one more request of `key`, at `now` (ms since 1970). Throws `HttpError` (429) above the limit; rejected requests are
 * not counted.
 */
export type RateLimiter = (key: number, now: number) => void

/**
 * Creates a limiter that allows at most `maxRequests` in any sliding window of `windowMs`, for each key. For an exact count it
 * stores the times of the last `maxRequests` requests of each key, eight bytes each. It counts the requests of this process only.
 */
export const createRateLimiter = (maxRequests: number, windowMs: number): RateLimiter => {
  const requestTimes = new Map<number, { readonly ring: Float64Array; next: number }>()
  return (key, now) => {
    let times = requestTimes.get(key)
    if (times === undefined)
      requestTimes.set(key, (times = { ring: new Float64Array(maxRequests).fill(-Infinity), next: 0 }))
    // `next` is the index of the oldest time. The difference is absolute, because a clock that was set back must not block longer.
    const age = Math.abs(now - times.ring[times.next]!)
    if (age < windowMs) {
      throw new HttpError(
        429,
        {
          type: 'throttled_error',
          code: 'throttled',
          detail:
            `This project sent more than ${maxRequests} requests in ${windowMs / SECOND_MS} seconds. ` +
            'Retry after the time in "Retry-After".',
          attr: null,
        },
        { retryAfterSeconds: Math.ceil((windowMs - age) / SECOND_MS) },
      )
    }
    times.ring[times.next] = now
    times.next = (times.next + 1) % maxRequests
  }
}
