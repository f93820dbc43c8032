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
 */
export const uuidRanges = (uuids: readonly string[]): UuidRange[] => {
  const sorted = [...uuids].sort()
  const ranges: { low: string; high: string }[] = []
  for (const uuid of sorted) {
    const lastRange = ranges.at(-1)
    if (
      lastRange !== undefined &&
      (parseTimeMs(uuid) - parseTimeMs(lastRange.high) <= GAP_MS || ranges.length === MAX_RANGES)
    ) {
      lastRange.high = uuid
    } else {
      ranges.push({ low: uuid, high: uuid })
    }
  }
  return ranges
}

/** Milliseconds since 1970: the first 48 bits (RFC 9562, 5.7). */
const parseTimeMs = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
