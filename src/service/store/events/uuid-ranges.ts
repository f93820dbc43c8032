/** Whether a uuid is of version 7: it begins with its time, so that its duplicates are stored near it. */
export const isTimeOrdered = (uuid: string): boolean => uuid[14] === '7'

/** An inclusive range of uuids. */
export interface UuidRange {
  readonly low: string
  readonly high: string
}

/** Uuids whose times are further apart than this are looked up in ranges of their own (10 minutes). */
const GAP_MS = 600_000

/** A store looks each range up separately, so there are not more than this; the last one then holds all that is later. */
const MOST_RANGES = 8

/**
 * The ranges to look through for version 7 uuids: few and narrow, so that one event from last year does not make the
 * look-up read the year between. The uuid's own time counts, because the stored timestamp differs at each delivery.
 */
export const uuidRanges = (uuids: readonly string[]): UuidRange[] => {
  const sorted = [...uuids].sort()
  const ranges: { low: string; high: string }[] = []
  for (const uuid of sorted) {
    const last = ranges.at(-1)
    if (last !== undefined && (timeOf(uuid) - timeOf(last.high) <= GAP_MS || ranges.length === MOST_RANGES)) {
      last.high = uuid
    } else {
      ranges.push({ low: uuid, high: uuid })
    }
  }
  return ranges
}

/** Milliseconds since 1970: the first 48 bits (RFC 9562, 5.7). */
const timeOf = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
