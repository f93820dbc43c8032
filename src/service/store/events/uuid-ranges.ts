/** Whether a uuid has version 7. Such a uuid starts with its time, so its duplicates are stored near it. */
export const isTimeOrdered = (uuid: string): boolean => uuid[14] === '7'

/** An inclusive range of uuids. */
export interface UuidRange {
  readonly low: string
  readonly high: string
}

/** Uuids whose times are further apart than this (10 minutes) go into separate ranges. */
const GAP_MS = 600_000

/** Maximum number of ranges, because a store looks up each one separately. The last range includes all later uuids. */
const MAX_RANGES = 8

/**
 * The ranges in which duplicates of version 7 uuids can be stored. Separate ranges are few and narrow, so that one event of
 * last year does not make the lookup read the whole year. They use the time in the uuid, because the stored timestamp of an
 * event can differ at each delivery.
 *
 * @param times of the uuids, in milliseconds since 1970.
 */
export const uuidRanges = (times: Float64Array): UuidRange[] => {
  const ranges: { first: number; last: number }[] = []
  for (const time of times.slice().sort()) {
    const range = ranges.at(-1)
    if (range !== undefined && (time - range.last <= GAP_MS || ranges.length === MAX_RANGES)) range.last = time
    else ranges.push({ first: time, last: time })
  }
  return ranges.map(({ first, last }) => ({
    low: `${timeDigits(first)}-0000-0000-000000000000`,
    high: `${timeDigits(last)}-ffff-ffff-ffffffffffff`,
  }))
}

/** The first 48 bits of a uuid (RFC 9562, 5.7). */
const timeDigits = (timeMs: number): string => {
  const digits = timeMs.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
