import { HttpError } from '../http-error.ts'
import type { LimitKey, SharedCounts } from './share-counts.ts'

const SECOND_MS = 1000

/** Parts of a window in which requests are counted together. */
const SLOTS = 60

/** Keys whose counts are kept; for further ones, those that were not counted for the longest time are forgotten. */
const MAX_KEYS = 10_000

/**
 * Counts one more request of `key`, at `now` (ms since 1970). Throws `HttpError` (429) above the limit; rejected requests are
 * not counted.
 */
export type RateLimiter<Key> = (key: Key, now: number) => void

/** How many requests of a key were allowed in each of the last `SLOTS` slots; that of slot `n` is at `n % SLOTS`. */
interface SlotCounts {
  readonly counts: Uint32Array
  /** The number of the newest slot; slots are counted from 1970. */
  slot: number
  total: number
}

/** Moves on to a slot, and forgets those that are no longer among the last `SLOTS`. A clock that was set back forgets all. */
const moveToSlot = (requests: SlotCounts, slot: number): void => {
  const { counts } = requests
  if (slot < requests.slot || slot - requests.slot >= SLOTS) {
    counts.fill(0)
    requests.total = 0
  } else {
    for (let passed = requests.slot + 1; passed <= slot; passed++) {
      requests.total -= counts[passed % SLOTS]!
      counts[passed % SLOTS] = 0
    }
  }
  requests.slot = slot
}

/** The oldest slot with requests; there must be one. */
const findOldestSlot = ({ counts, slot }: SlotCounts): number => {
  let oldest = Math.max(0, slot - SLOTS + 1)
  while (counts[oldest % SLOTS] === 0) oldest += 1
  return oldest
}

/** What a rate limit allows, and how it says so. */
export interface RateLimit {
  readonly maxRequests: number
  readonly windowMs: number
  /** The start of the error. Default "This project sent". */
  readonly subject?: string
  /** What is counted. Default "requests". */
  readonly noun?: string
  /** Counts of other nodes. Default: none, only the requests of this process count. */
  readonly shared?: SharedCounts | undefined
}

/**
 * Creates a limiter for requests in a sliding window of `windowMs`, for each key. It moves on in steps of a sixtieth: it never rejects a
 * key with fewer than `maxRequests` in the last window, and never allows more in a window that is one step shorter. A key takes 240
 * bytes, whatever the limit. Requests of other nodes count from when they are known here.
 */
export const createRateLimiter = <Key extends LimitKey = number>({
  maxRequests,
  windowMs,
  subject = 'This project sent',
  noun = 'requests',
  shared,
}: RateLimit): RateLimiter<Key> => {
  const slotMs = windowMs / SLOTS
  const requestsOf = new Map<LimitKey, SlotCounts>()
  const openSlot = (key: LimitKey, now: number): SlotCounts => {
    const slot = Math.floor(now / slotMs)
    const requests = requestsOf.get(key) ?? { counts: new Uint32Array(SLOTS), slot, total: 0 }
    moveToSlot(requests, slot)
    return requests
  }
  const add = (key: LimitKey, requests: SlotCounts, count: number): void => {
    requests.counts[requests.slot % SLOTS]! += count
    requests.total += count
    // Moves the key to the end, so that the first key is the one that was not counted for the longest time.
    requestsOf.delete(key)
    requestsOf.set(key, requests)
    if (requestsOf.size > MAX_KEYS) requestsOf.delete(requestsOf.keys().next().value!)
  }
  shared?.listen((key, count, now) => add(key, openSlot(key, now), count))
  return (key, now) => {
    const requests = openSlot(key, now)
    if (requests.total >= maxRequests) {
      const waitMs = (findOldestSlot(requests) + SLOTS) * slotMs - now
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
        { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) },
      )
    }
    add(key, requests, 1)
    shared?.tell(key)
  }
}
