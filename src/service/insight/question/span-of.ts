import type { DateRange } from '../time/date-range.ts'
import type { FunnelQuestion } from './funnel.ts'
import type { QuestionName, QuestionOf } from './questions.ts'
import type { TrendQuestion } from './trend.ts'

const ALL: DateRange = {}

const spanOfTrend = ({ measure, periods: { range } }: Omit<TrendQuestion, 'breakdown'>): DateRange => {
  if (measure.kind === 'first_time') return { before: range.before }
  if (measure.kind === 'active') return { from: Math.min(range.from, ...measure.since), before: range.before }
  return range
}

/** The least range that contains others. */
const join = (ranges: readonly DateRange[]): DateRange => {
  const froms = ranges.flatMap(({ from }) => from ?? [])
  const befores = ranges.flatMap(({ before }) => before ?? [])
  return {
    ...(froms.length === ranges.length && { from: Math.min(...froms) }),
    ...(befores.length === ranges.length && { before: Math.max(...befores) }),
  }
}

const spanOfFunnel = ({ range, firstSteps }: Pick<FunnelQuestion, 'range' | 'firstSteps'>): DateRange =>
  firstSteps.length === 0 ? range : { before: range.before }

const SPANS: { readonly [Name in QuestionName]: (question: QuestionOf<Name>) => DateRange } = {
  query: () => ALL,
  queryLines: () => ALL,
  earliestTime: ({ since }) => ({ from: since }),
  countEvents: ({ range }) => range,
  eventNames: () => ALL,
  propertyNames: () => ALL,
  numberRange: ({ selections }) => join(selections.map(({ range }) => range)),
  trendGroups: ({ trends }) => join(trends.map(spanOfTrend)),
  trend: spanOfTrend,
  // Lists are not kept.
  actors: () => ALL,
  events: () => ALL,
  paths: ({ range, around }) => (around === null ? range : join([range, spanOfFunnel(around.question)])),
  funnel: spanOfFunnel,
  retention: ({ cohorts, periods: { range } }) => (cohorts.of === 'every_period' ? range : { before: range.before }),
  stickiness: ({ periods }) => periods.range,
  // An actor that the store does not know was created with its first event.
  lifecycle: ({ periods }) => ({ before: periods.range.before }),
}

/** The times of the events that the answer to a question depends on. */
export const spanOf = <Name extends QuestionName>(name: Name, question: QuestionOf<Name>): DateRange =>
  SPANS[name](question)
