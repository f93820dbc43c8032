import { MATCH_ALL } from '../filter/condition.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { nameBins } from '../question/number-bins.ts'
import type { Ask } from '../question/questions.ts'
import type { PropertyReference } from '../question/subject.ts'
import type { GroupValues, TrendBreakdown } from '../question/trend.ts'
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
  const { properties, limit } = breakdown.breakdown
  const bins = listBins(properties)
  if (bins !== null && bins.length <= limit) return { properties, groups: bins }
  const trends = series.map((each) => narrow(each, MATCH_ALL))
  const { groups } = await ask('trendGroups', { trends, breakdown: breakdown.breakdown })
  return { properties, groups }
}

/** The bins of a single property in the order of their numbers, then events without a number; null without bins. */
const listBins = ([property, ...others]: readonly PropertyReference[]): readonly GroupValues[] | null => {
  if (property?.rule?.kind !== 'bin' || others.length > 0) return null
  return [...nameBins(property.rule.bounds), null].map((name) => [name])
}
