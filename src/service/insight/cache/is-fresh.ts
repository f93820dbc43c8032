import type { DateRange } from '../time/date-range.ts'
import type { CachedAnswer } from './answer-cache.ts'

/** Longest age of an answer: persons, groups and cohorts may have changed, which no count of events tells. */
export const MAX_AGE_MS: number = 60 * 60_000

/**
 * Time for which an answer about now holds although events arrive, and one whose filters have a relative date, so that a busy site does not
 * compute it again and again.
 */
export const GRACE_MS = 10_000

/**
 * Whether an answer still holds: it is not too old, its dates are the same, and no event has arrived in its range of time, however late.
 *
 * @param now Milliseconds since 1970.
 * @param countEvents Counts the events in a range.
 */
export const isFresh = async (
  { computedAt, validBefore, counts }: CachedAnswer,
  now: number,
  countEvents: (range: DateRange) => Promise<number>,
): Promise<boolean> => {
  const age = now - computedAt
  // Negative if the clock was set back.
  if (age < 0 || age >= MAX_AGE_MS || now >= validBefore) return false
  const isAboutNow = counts.some(({ range }) => range.before === undefined || range.before > computedAt)
  if (isAboutNow && age < GRACE_MS) return true
  for (const { range, count } of counts) if ((await countEvents(range)) !== count) return false
  return true
}
