import { tryOr } from '../lib/try-or.ts'
import { MAX_TIME_MS, MIN_TIME_MS } from '../wire/bounds.ts'

/** Types that a timestamp may have: `new Date` would also accept `false`. */
const TIMESTAMP_TYPES = /^(string|number|object)$/

/**
 * Reads the timestamp of a caller, in milliseconds since 1970. Undefined for what is not a time that the service stores: it would give the
 * event the time of its arrival. The conversion of some objects throws, as that of `Temporal` does.
 */
export const readTimestamp = (input: unknown): number | undefined =>
  tryOr(() => {
    const time = TIMESTAMP_TYPES.test(typeof input) ? +new Date(input as Date) : NaN
    return time >= MIN_TIME_MS && time <= MAX_TIME_MS ? time : undefined
  })
