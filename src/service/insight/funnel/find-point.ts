import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { fromBreakdownValue, parseBreakdown } from '../query/breakdown.ts'
import type { FunnelPoint, FunnelQuestion } from '../question/funnel.ts'
import type { Ask } from '../question/questions.ts'
import type { FunnelsActorsQuery } from '../schema/actors-query.ts'
import { chooseFunnelBins, createFunnelQuestion } from './answer-funnels.ts'

const STEP = 'query.source.funnelStep'
const BREAKDOWN = 'query.source.funnelStepBreakdown'

/** Finds the point of a step. Throws `FilterError`; rejects with `QueryError`. */
export const findFunnelPoint = async (
  { source, funnelStep, funnelStepBreakdown }: FunnelsActorsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<FunnelPoint> => {
  const all = await createFunnelQuestion(source, context, ask)
  const parsedBreakdown = parseBreakdown(source.breakdownFilter, context)
  const breakdown = await chooseFunnelBins(parsedBreakdown, { ...all.question, events: all.events }, ask)
  const { condition, group } = findGroup(funnelStepBreakdown, breakdown)
  const events = { ...all.events, condition: combine('all', [all.events.condition, condition]) }
  const divided = group !== null && breakdown.kind === 'properties' ? breakdown.breakdown : null
  return {
    kind: 'funnel',
    question: { ...all.question, events, breakdown: divided && { ...divided, attribution: all.attribution } },
    group,
    ...findSteps(funnelStep, all.question, STEP),
  }
}

/**
 * The steps that a number means: from 1, those who did the step; negative, from -2, those who did the last step before it that is not
 * optional, but not the step itself. Throws `FilterError`.
 */
export const findSteps = (
  step: number,
  { steps: { length: count }, optionalSteps }: Pick<FunnelQuestion, 'steps' | 'optionalSteps'>,
  path: string,
): Pick<FunnelPoint, 'doneStep' | 'missedStep'> => {
  if (step >= 1 && step <= count) return { doneStep: step - 1, missedStep: null }
  if (step > -2 || step < -count)
    throw new FilterError(path, `must be from 1 to ${count}, or from -2 to -${count} for those who did not do the step`)
  const missedStep = -step - 1
  let doneStep = missedStep - 1
  while (optionalSteps.includes(doneStep)) doneStep--
  return { doneStep, missedStep }
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
