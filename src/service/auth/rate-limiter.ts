import { HttpError } from '../http-error.ts'

const SECOND_MS = 1000

/** Keys whose times are kept; for further ones, those that were not counted for the longest time are forgotten. */
const MAX_KEYS = 10_000

/**
 * Counts one more request of `key`, at `now` (ms since 1970). Throws `HttpError` (429) above the limit; rejected requests are
 * not counted.
 */
export type RateLimiter<Key> = (key: Key, now: number) => void

/**
 * Creates a limiter that allows at most `maxRequests` in any sliding window of `windowMs`, for each key. For an exact count it
 * stores the times of the last `maxRequests` requests of each key, eight bytes each. It counts the requests of this process only.
 *
 * @param subject The start of the error: "This project sent".
 * @param noun What is counted: "requests".
 */
export const createRateLimiter = <Key = number>(
  maxRequests: number,
  windowMs: number,
  subject = 'This project sent',
  noun = 'requests',
): RateLimiter<Key> => {
  const requestTimes = new Map<Key, { readonly ring: Float64Array; next: number }>()
  return (key, now) => {
    const times = requestTimes.get(key) ?? { ring: new Float64Array(maxRequests).fill(-Infinity), next: 0 }
    // `next` is the index of the oldest time. The difference is absolute, because a clock that was set back must not block longer.
    const age = Math.abs(now - times.ring[times.next]!)
    if (age < windowMs) {
      throw new HttpError(
        429,
        {
          type: 'throttled_error',
          code: 'throttled',
          detail:
            `${subject} more than ${maxRequests} ${noun} in ${windowMs / SECOND_MS} seconds. ` +
            'Retry after the time in "Retry-After".',
          attr: null,
        },
        { retryAfterSeconds: Math.ceil((windowMs - age) / SECOND_MS) },
      )
    }
    times.ring[times.next] = now
    times.next = (times.next + 1) % maxRequests
    // Moves the key to the end, so that the first key is the one that was not counted for the longest time.
    requestTimes.delete(key)
    requestTimes.set(key, times)
    if (requestTimes.size > MAX_KEYS) requestTimes.delete(requestTimes.keys().next().value!)
  }
}
