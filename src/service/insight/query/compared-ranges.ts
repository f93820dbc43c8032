import type { Static } from 'typebox'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { Ask } from '../question/questions.ts'
import type { CompareFilter, DateRangeInput } from '../schema/fields.ts'
import type { Interval } from '../time/calendar.ts'
import type { TimeRange } from '../time/periods.ts'
import { rangeBefore, readRange, shiftRange } from './range.ts'

/** One of the two ranges that are compared; `label` is null without a comparison. */
export interface ComparedRange {
  readonly range: TimeRange
  readonly label: 'current' | 'previous' | null
}

/** The fields of a query that say which ranges it is about. */
export interface ComparingQuery {
  readonly dateRange?: Static<typeof DateRangeInput> | null
  readonly interval?: Interval | null
  readonly compareFilter?: Static<typeof CompareFilter> | null
}

/** The one of the two ranges that a query of actors names. Throws `FilterError`. */
export const readComparedRange = async (
  query: ComparingQuery,
  compare: 'current' | 'previous' | null | undefined,
  context: FilterContext,
  ask: Ask,
): Promise<TimeRange> => {
  const ranges = await readComparedRanges(query, context, ask)
  const compared = ranges.find(({ label }) => (label ?? 'current') === (compare ?? 'current'))
  if (compared !== undefined) return compared.range
  throw new FilterError('query.source.compare', 'must be "current": the insight compares with nothing')
}

/** The range of dates of a query, and the earlier one that it is compared with. Throws `FilterError`. */
export const readComparedRanges = async (
  { dateRange, interval, compareFilter }: ComparingQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly ComparedRange[]> => {
  const range = await readRange(dateRange, interval ?? 'day', context, ask)
  if (compareFilter?.compare !== true) return [{ range, label: null }]
  const { compare_to: compareTo } = compareFilter
  const earlier = compareTo
    ? shiftRange(range, compareTo, 'query.compareFilter.compare_to', context)
    : rangeBefore(range, context)
  return [
    { range, label: 'current' },
    { range: earlier, label: 'previous' },
  ]
}
