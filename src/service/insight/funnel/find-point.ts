import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { fromBreakdownValue, parseBreakdown } from '../query/breakdown.ts'
import type { FunnelPoint } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import type { FunnelsActorsQuery } from '../schema/actors-query.ts'
import { createFunnelQuestion } from './answer-funnels.ts'

const STEP = 'query.source.funnelStep'
const BREAKDOWN = 'query.source.funnelStepBreakdown'

/** Finds the point of a step. Throws `FilterError`; rejects with `QueryError`. */
export const findFunnelPoint = async (
  { source, funnelStep, funnelStepBreakdown }: FunnelsActorsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<FunnelPoint> => {
  const all = await createFunnelQuestion(source, context, ask)
  const breakdown = parseBreakdown(source.breakdownFilter, context)
  const { condition, group } = findGroup(funnelStepBreakdown, breakdown)
  const events = { ...all.events, condition: combine('all', [all.events.condition, condition]) }
  const divided = group !== null && breakdown.kind === 'properties' ? breakdown.breakdown : null
  return {
    kind: 'funnel',
    question: { ...all.question, events, breakdown: divided && { ...divided, attribution: all.attribution } },
    group,
    ...findSteps(funnelStep, source.series.length),
  }
}

const findSteps = (step: number, count: number): Pick<FunnelPoint, 'leastSteps' | 'mostSteps'> => {
  if (step >= 1 && step <= count) return { leastSteps: step, mostSteps: count }
  if (step <= -2 && step >= -count) return { leastSteps: -step - 1, mostSteps: -step - 1 }
  throw new FilterError(STEP, `must be from 1 to ${count}, or from -2 to -${count} for those who did not come so far`)
}

const findGroup = (
  value: FunnelsActorsQuery['funnelStepBreakdown'],
  breakdown: QueryBreakdown,
): Pick<FunnelPoint, 'group'> & { readonly condition: typeof MATCH_ALL } => {
  if (value === undefined || value === null) return { condition: MATCH_ALL, group: null }
  if (breakdown.kind === 'none') throw new FilterError(BREAKDOWN, 'must be missing: the funnel has no breakdown')
  if (breakdown.kind === 'cohorts') {
    const cohort = breakdown.cohorts.find((each) => each.value === value)
    if (cohort === undefined) throw new FilterError(BREAKDOWN, 'must be one of the cohorts of the funnel')
    return { condition: cohort.condition, group: null }
  }
  const texts = [value].flat().map(String)
  const count = breakdown.breakdown.properties.length
  if (texts.length !== count) throw new FilterError(BREAKDOWN, `must have a value for each of ${count} properties`)
  return { condition: MATCH_ALL, group: fromBreakdownValue(texts) }
}
