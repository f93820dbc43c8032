import { MATCH_ALL } from '../filter/condition.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import type { Ask } from '../question/questions.ts'
import type { TrendBreakdown } from '../question/trend.ts'
import type { SeriesQuestion } from './trend-questions.ts'
import { narrow } from './trend-questions.ts'

/**
 * Chooses the groups that have lines of their own, once for all series of a query and for both ranges that it compares: a formula, or a
 * comparison, is of lines of the same group. Null without a breakdown by properties.
 *
 * @param series What the series ask in the current range.
 */
export const chooseGroups = async (
  breakdown: QueryBreakdown,
  series: readonly SeriesQuestion[],
  ask: Ask,
): Promise<TrendBreakdown | null> => {
  if (breakdown.kind !== 'properties') return null
  const trends = series.map((each) => narrow(each, MATCH_ALL))
  const { groups } = await ask('trendGroups', { trends, breakdown: breakdown.breakdown })
  return { properties: breakdown.breakdown.properties, groups }
}
