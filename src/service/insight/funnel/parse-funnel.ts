import type { Condition } from '../filter/condition.ts'
import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseSeries } from '../query/series.ts'
import type { Series } from '../query/series.ts'
import type { Attribution, FirstStep, FunnelExclusion, FunnelOrder, FunnelView, StepRange } from '../question/funnel.ts'
import type { FunnelsQuery, WINDOW_UNITS } from '../schema/funnels-query.ts'
import type { Periods } from '../time/periods.ts'

const PATH = 'query.funnelsFilter'

type FunnelsFilter = NonNullable<FunnelsQuery['funnelsFilter']>

const UNIT_MS: Readonly<Record<(typeof WINDOW_UNITS)[number], number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
}

/** What a funnel's query says beside the events that count. */
export interface ParsedFunnel {
  readonly steps: readonly Series[]
  readonly optionalSteps: readonly number[]
  readonly firstSteps: readonly FirstStep[]
  readonly order: FunnelOrder
  readonly windowMs: number
  readonly exclusions: readonly FunnelExclusion[]
  readonly attribution: Attribution
}

/**
 * @param queryFilters The filters of all steps.
 * @throws FilterError
 */
export const parseFunnel = (
  { series, funnelsFilter }: FunnelsQuery,
  queryFilters: Condition,
  context: FilterContext,
): ParsedFunnel => {
  const filter = funnelsFilter ?? {}
  if (filter.funnelAggregateByHogQL)
    throw new FilterError(`${PATH}.funnelAggregateByHogQL`, 'must be empty: funnels count persons or groups')
  const steps = series.map((node, order) => {
    if (node.math && !MATHS.includes(node.math))
      throw new FilterError(`query.series[${order}].math`, `must be one of ${MATHS.join(', ')}`)
    return parseSeries(node, order, MATCH_ALL, context)
  })
  const order = filter.funnelOrderType ?? 'ordered'
  return {
    steps,
    optionalSteps: parseOptionalSteps(series, order),
    firstSteps: steps.flatMap((step) => toFirstStep(step, queryFilters)),
    order,
    windowMs: (filter.funnelWindowInterval ?? 14) * UNIT_MS[filter.funnelWindowIntervalUnit ?? 'day'],
    exclusions: (filter.exclusions ?? []).map((node, index): FunnelExclusion => {
      const path = `${PATH}.exclusions[${index}]`
      const { condition } = parseSeries(node, index, MATCH_ALL, context, path)
      const { fromStep, toStep } = parseStepRange(node, steps.length, path)
      return { condition, fromStep, toStep }
    }),
    attribution: parseAttribution(filter, steps.length),
  }
}

const FIRST_TIME = 'first_time_for_user'
const FIRST_TIME_WITH_FILTERS = 'first_time_for_user_with_filters'
const MATHS: readonly string[] = ['total', FIRST_TIME, FIRST_TIME_WITH_FILTERS]

const toFirstStep = ({ order, node, named, condition }: Series, queryFilters: Condition): readonly FirstStep[] => {
  if (node.math === FIRST_TIME) return [{ step: order, among: named }]
  return node.math === FIRST_TIME_WITH_FILTERS
    ? [{ step: order, among: combine('all', [condition, queryFilters]) }]
    : []
}

const parseOptionalSteps = (series: FunnelsQuery['series'], order: FunnelOrder): readonly number[] => {
  const optionalSteps = [...series.keys()].filter((step) => series[step]!.optionalInFunnel === true)
  const [first] = optionalSteps
  if (first === 0)
    throw new FilterError('query.series[0].optionalInFunnel', 'must be false: a conversion begins with the first step')
  if (first !== undefined && order === 'unordered')
    throw new FilterError(
      `query.series[${first}].optionalInFunnel`,
      'must be false in an unordered funnel, which counts how many steps were done',
    )
  return optionalSteps
}

/** Throws `FilterError`. */
export const parseView = (
  filter: FunnelsQuery['funnelsFilter'],
  stepCount: number,
  periods: Pick<Periods, 'starts'>,
): FunnelView => {
  const { funnelVizType: type, binCount } = filter ?? {}
  if (type === 'time_to_convert')
    return { kind: 'times', binCount: binCount ?? null, ...parseStepRange(filter!, stepCount, PATH) }
  if (type === 'trends')
    return { kind: 'rates', periods: { starts: periods.starts }, ...parseStepRange(filter!, stepCount, PATH) }
  return { kind: 'steps' }
}

const parseStepRange = (
  { funnelFromStep, funnelToStep }: { readonly funnelFromStep?: number | null; readonly funnelToStep?: number | null },
  stepCount: number,
  path: string,
): StepRange => {
  const fromStep = funnelFromStep ?? 0
  const toStep = funnelToStep ?? stepCount - 1
  if (toStep >= stepCount)
    throw new FilterError(`${path}.funnelToStep`, `must be at most ${stepCount - 1}, the last step`)
  if (fromStep >= toStep) throw new FilterError(`${path}.funnelFromStep`, `must be less than the last step, ${toStep}`)
  return { fromStep, toStep }
}

const parseAttribution = (
  { breakdownAttributionType: type, breakdownAttributionValue: step }: FunnelsFilter,
  stepCount: number,
): Attribution => {
  if (type !== 'step') return { of: type ?? 'first_touch' }
  if ((step ?? 0) < stepCount) return { of: 'step', step: step ?? 0 }
  throw new FilterError(`${PATH}.breakdownAttributionValue`, `must be at most ${stepCount - 1}, the last step`)
}
