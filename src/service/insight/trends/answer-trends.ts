import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseQueryFilters } from '../query/base.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { parseBreakdown } from '../query/breakdown.ts'
import { chooseBins } from '../query/choose-bins.ts'
import { readComparedRanges } from '../query/compared-ranges.ts'
import { divide } from '../query/divide.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { nameOf, parseSeries } from '../query/series.ts'
import type { Ask } from '../question/questions.ts'
import type { TrendBreakdown } from '../question/trend.ts'
import type { TrendsQuery } from '../schema/trends-query.ts'
import { chooseGroups } from './choose-groups.ts'
import { computeFormulas } from './compute-formulas.ts'
import { accumulate, smooth } from './shape-numbers.ts'
import type { TrendLine, TrendResult } from './trend-result.ts'
import { toTrendResult } from './trend-result.ts'
import { createSeriesQuestions, narrow, toSelectedRange } from './trend-questions.ts'

/** Answers a query of trends. Throws `FilterError`; rejects with `QueryError`. */
export const answerTrends = async (
  query: TrendsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly TrendResult[]> => {
  const { trendsFilter, breakdownFilter } = query
  const filters = parseQueryFilters(query, context)
  const parsedBreakdown = parseBreakdown(breakdownFilter, context)
  const series = query.series.map((node, order) => parseSeries(node, order, filters, context))
  const formulas = computeFormulas(trendsFilter, series.length)
  const results: TrendResult[] = []
  const ranges = (await readComparedRanges(query, context, ask)).map(({ range, label }) => {
    const questions = createSeriesQuestions(query, series, range, context)
    const { periods, isTotal } = questions[0]!
    checkSize(series.length * countGroups(parsedBreakdown) * (isTotal ? 1 : periods.starts.length))
    return { label, questions, periods, isTotal }
  })
  const all = ranges.flatMap(({ questions }) => questions)
  const queryBreakdown = await chooseBins(parsedBreakdown, all.map(toSelectedRange), ask)
  let groupsOfAll: TrendBreakdown | null | undefined
  for (const { label, questions, periods, isTotal } of ranges) {
    groupsOfAll ??= await chooseGroups(queryBreakdown, questions, ask)
    const lines: TrendLine[] = []
    for (const question of questions)
      for (const { condition, isShown, valueOf, labelOf } of divide(queryBreakdown)) {
        const { groups } = await ask('trend', { ...narrow(question, condition), breakdown: groupsOfAll })
        for (const group of groups.filter(isShown)) {
          const numbers = question.isAddedUp ? accumulate(group.numbers) : group.numbers
          lines.push({
            series: question.series,
            label: nameOf(question.series.node),
            group: labelOf(group),
            value: valueOf(group),
            numbers: smooth(numbers, trendsFilter?.smoothingIntervals ?? 1),
          })
        }
      }
    const shape = {
      labels: labelPeriods(periods, query.interval ?? 'day', context.calendar),
      comparison: label,
      isTotal,
      seriesCount: formulas === null ? series.length : 1,
    }
    for (const line of formulas === null ? lines : formulas(lines)) results.push(toTrendResult(line, shape))
  }
  return results
}

/** Most numbers of one range in an answer; each line has the names of all periods beside them. */
const MAX_NUMBERS = 300_000

const checkSize = (count: number): void => {
  if (count > MAX_NUMBERS)
    throw new FilterError(
      'query',
      `would have up to ${count} numbers, and may have ${MAX_NUMBERS}: ask for fewer series, values or periods`,
    )
}

/** How many lines each series may have. */
const countGroups = (breakdown: QueryBreakdown): number => {
  if (breakdown.kind === 'none') return 1
  return breakdown.kind === 'cohorts' ? breakdown.cohorts.length : breakdown.breakdown.limit + 1
}
