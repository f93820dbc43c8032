import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseQueryFilters, toSelection } from '../query/base.ts'
import { parseGroupType } from '../filter/parse-group-type.ts'
import { readComparedRanges } from '../query/compared-ranges.ts'
import type { Series } from '../query/series.ts'
import { describeSeries, nameOf, parseSeries } from '../query/series.ts'
import type { Ask } from '../question/questions.ts'
import type { Actor } from '../question/subject.ts'
import type { StickinessQuery } from '../schema/stickiness-query.ts'
import type { StickinessQuestion } from '../question/stickiness.ts'
import type { TimeRange } from '../time/periods.ts'
import { createPeriods, joinPeriods } from '../time/periods.ts'

/** One series of the answer to a query of stickiness, as clients of the protocol read it. */
export interface StickinessResult {
  readonly action: object
  readonly label: string
  /** How many actors have one interval, two intervals, and so on. */
  readonly data: readonly number[]
  /** The sum of `data`. */
  readonly count: number
  /** 1, 2 and so on. */
  readonly days: readonly number[]
  /** `1 day`, `2 days`. */
  readonly labels: readonly string[]
  readonly compare?: boolean
  readonly compare_label?: 'current' | 'previous'
}

/** Answers a query of stickiness. Throws `FilterError`; rejects with `QueryError`. */
export const answerStickiness = async (
  query: StickinessQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly StickinessResult[]> => {
  const { stickinessFilter } = query
  const interval = query.interval ?? 'day'
  const results: StickinessResult[] = []
  for (const { range, label } of await readComparedRanges(query, context, ask)) {
    for (const { series, question } of createStickinessQuestions(query, range, context)) {
      const answer = await ask('stickiness', question)
      const data = stickinessFilter?.computedAs === 'cumulative' ? sumFromEnd(answer.actors) : answer.actors
      const days = data.map((_, place) => place + 1)
      results.push({
        action: describeSeries(series),
        label: nameOf(series.node),
        data,
        count: data.reduce((sum, number) => sum + number, 0),
        days,
        labels: days.map((day) => `${day} ${interval}${day === 1 ? '' : 's'}`),
        ...(label !== null && { compare: true, compare_label: label }),
      })
    }
  }
  return results
}

/** What the series of a query ask in a range. Throws `FilterError`. */
export const createStickinessQuestions = (
  query: StickinessQuery,
  range: TimeRange,
  context: FilterContext,
): readonly { readonly series: Series; readonly question: StickinessQuestion }[] => {
  const filters = parseQueryFilters(query, context)
  const single = createPeriods(range, query.interval ?? 'day', context.calendar, 'query.interval')
  const periods = joinPeriods(single, query.intervalCount ?? 1)
  const criterion = query.stickinessFilter?.stickinessCriteria ?? { operator: 'gte', value: 1 }
  return query.series.map((node, order) => {
    const series = parseSeries(node, order, filters, context)
    const events = toSelection(series.condition, context)
    return { series, question: { events, actor: parseSeriesActor(series, context), periods, criterion } }
  })
}

const MATHS = ['total', 'dau', 'unique_group']

/** Who a series counts. Throws `FilterError`. */
const parseSeriesActor = ({ node, order }: Series, context: FilterContext): Actor => {
  const math = node.math || 'total'
  const path = `query.series[${order}]`
  if (!MATHS.includes(math)) throw new FilterError(`${path}.math`, `must be one of ${MATHS.join(', ')}`)
  if (math !== 'unique_group') return { of: 'person' }
  const index = node.math_group_type_index ?? 0
  return { of: 'group', type: parseGroupType(index, `${path}.math_group_type_index`, context) }
}

/** Replaces each number by the sum of it and all after it. */
const sumFromEnd = (numbers: readonly number[]): readonly number[] => {
  let sum = 0
  return numbers
    .toReversed()
    .map((number) => (sum += number))
    .toReversed()
}
