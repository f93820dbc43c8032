import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { Condition } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { fromBreakdownValue, parseBreakdown } from '../query/breakdown.ts'
import { selectBins } from '../query/select-bins.ts'
import type { FunnelPoint, FunnelQuestion } from '../question/funnel.ts'
import type { Ask } from '../question/questions.ts'
import type { Breakdown } from '../question/trend.ts'
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
  const { condition, group, divided } = findGroup(funnelStepBreakdown, breakdown)
  const events = { ...all.events, condition: combine('all', [all.events.condition, condition]) }
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
    throw new FilterError(path, `must be ${describeSteps(1, count)}${describeMissedSteps(count)}`)
  const missedStep = -step - 1
  let doneStep = missedStep - 1
  while (optionalSteps.includes(doneStep)) doneStep--
  return { doneStep, missedStep }
}

/** The numbers of steps that are possible, for errors. */
const describeSteps = (first: number, last: number): string =>
  first === last ? String(first) : `from ${first} to ${last}`

const describeMissedSteps = (count: number): string =>
  count === 1 ? '' : `, or ${describeSteps(-2, -count)} for those who did not do the step`

/** A group of a funnel. */
interface FunnelGroup extends Pick<FunnelPoint, 'group'> {
  readonly condition: Condition
  /** What the funnel is divided by; null without a group. */
  readonly divided: Breakdown | null
}

const findGroup = (value: FunnelsActorsQuery['funnelStepBreakdown'], breakdown: QueryBreakdown): FunnelGroup => {
  if (value === undefined || value === null) return { condition: MATCH_ALL, group: null, divided: null }
  if (breakdown.kind === 'none') throw new FilterError(BREAKDOWN, 'must be missing: the funnel has no breakdown')
  if (breakdown.kind === 'cohorts') {
    const cohort = breakdown.cohorts.find((each) => each.value === value)
    if (cohort === undefined) throw new FilterError(BREAKDOWN, 'must be one of the cohorts of the funnel')
    return { condition: cohort.condition, group: null, divided: null }
  }
  const texts = [value].flat().map(String)
  const count = breakdown.breakdown.properties.length
  if (texts.length !== count) throw new FilterError(BREAKDOWN, `must have a value for each of ${count} properties`)
  const group = fromBreakdownValue(texts)
  if (group === 'others') return { condition: MATCH_ALL, group, divided: breakdown.breakdown }
  const selected = selectBins(breakdown, group, BREAKDOWN)
  return { condition: MATCH_ALL, group: selected.values, divided: selected.breakdown }
}
