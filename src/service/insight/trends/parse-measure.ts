import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseGroupType } from '../filter/parse-group-type.ts'
import type { Series } from '../query/series.ts'
import type { Actor } from '../question/subject.ts'
import type { Aggregate, Measure } from '../question/trend.ts'
import { toLocalTime } from '../time/calendar.ts'
import type { Periods } from '../time/periods.ts'

const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  avg: 'average',
  sum: 'sum',
  min: 'min',
  max: 'max',
  median: 'median',
  p75: 'p75',
  p90: 'p90',
  p95: 'p95',
  p99: 'p99',
}

/** The values of `math` that measure a property. */
export const AGGREGATE_NAMES: readonly string[] = Object.keys(AGGREGATES)

const PER_ACTOR = '_count_per_actor'

/** Days that an actor stays active. */
const ACTIVE_DAYS: Readonly<Record<string, number>> = { weekly_active: 7, monthly_active: 30 }

const NAMES = [
  'total',
  'dau',
  ...Object.keys(ACTIVE_DAYS),
  'unique_session',
  'unique_group',
  'first_time_for_user',
  'first_matching_event_for_user',
  ...AGGREGATE_NAMES,
  ...AGGREGATE_NAMES.flatMap((name) => (name === 'sum' ? [] : [`${name}${PER_ACTOR}`])),
]

/** How a trend is measured, beside what its series says. */
export interface MeasureOptions {
  readonly actor: Actor
  readonly periods: Periods
  readonly isTotal: boolean
  readonly isCumulative: boolean
}

/** Parses the fields `math…` of a series. Throws `FilterError`. */
export const parseMeasure = (series: Series, options: MeasureOptions, context: FilterContext): Measure => {
  const { node, order, named, condition } = series
  const { actor, isCumulative } = options
  const path = `query.series[${order}]`
  const math = node.math || 'total'
  if (math === 'total') return { kind: 'count' }
  if (math === 'dau') return { kind: 'unique', actor, isCumulative }
  if (math === 'unique_session') return { kind: 'unique', actor: { of: 'session' }, isCumulative }
  if (math === 'unique_group') {
    const type = parseGroupType(node.math_group_type_index ?? 0, `${path}.math_group_type_index`, context)
    return { kind: 'unique', actor: { of: 'group', type }, isCumulative }
  }
  if (math === 'first_time_for_user') return { kind: 'first_time', actor, among: named }
  if (math === 'first_matching_event_for_user') return { kind: 'first_time', actor, among: condition }
  const days = Object.hasOwn(ACTIVE_DAYS, math) ? ACTIVE_DAYS[math] : undefined
  if (days !== undefined) return { kind: 'active', actor, since: findWindowStarts(days, options, context) }
  const name = math.endsWith(PER_ACTOR) ? math.slice(0, -PER_ACTOR.length) : math
  const aggregate = Object.hasOwn(AGGREGATES, name) && NAMES.includes(math) ? AGGREGATES[name] : undefined
  if (aggregate === undefined) throw new FilterError(`${path}.math`, `must be one of ${NAMES.join(', ')}`)
  if (name !== math) return { kind: 'events_per_actor', actor, aggregate }
  if (!node.math_property) throw new FilterError(`${path}.math_property`, `is missing; "${math}" is of a property`)
  const of = node.math_property_type === 'person_properties' ? 'person' : 'event'
  return { kind: 'property', aggregate, property: { source: { of }, name: node.math_property } }
}

/** The start of the days before the end of each period in which an actor counts as active. */
const findWindowStarts = (
  days: number,
  { periods: { range, starts, end }, isTotal }: MeasureOptions,
  { calendar }: FilterContext,
): readonly number[] => {
  const goBack = (time: number): number => toLocalTime(time, calendar).subtract({ days }).epochMilliseconds
  if (isTotal) return [goBack(range.before)]
  return starts.map((_, index) => goBack(Math.min(starts[index + 1] ?? end, range.before)))
}
