import type { FilterContext } from '../filter/filter-context.ts'
import { combine } from '../filter/condition.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { parseBreakdown } from '../query/breakdown.ts'
import { readComparedRanges } from '../query/compared-ranges.ts'
import { divide } from '../query/divide.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { nameOf, parseSeries } from '../query/series.ts'
import type { Ask } from '../question/questions.ts'
import type { TrendsQuery } from '../schema/trends-query.ts'
import { createPeriods } from '../time/periods.ts'
import { computeFormulas } from './compute-formulas.ts'
import { parseMeasure } from './parse-measure.ts'
import { accumulate, smooth } from './shape-numbers.ts'
import type { TrendLine, TrendResult } from './trend-result.ts'
import { toTrendResult } from './trend-result.ts'

/** Displays of one number for the whole range. */
export const TOTAL_DISPLAYS: ReadonlySet<string> = new Set([
  'ActionsBarValue',
  'ActionsPie',
  'ActionsTable',
  'BoldNumber',
  'WorldMap',
])

/** Answers a query of trends. Throws `FilterError`; rejects with `QueryError`. */
export const answerTrends = async (
  query: TrendsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly TrendResult[]> => {
  const { trendsFilter, breakdownFilter } = query
  const interval = query.interval ?? 'day'
  const display = trendsFilter?.display ?? 'ActionsLineGraph'
  const isTotal = TOTAL_DISPLAYS.has(display)
  const filters = parseQueryFilters(query, context)
  const queryBreakdown = parseBreakdown(breakdownFilter, context)
  const series = query.series.map((node, order) => parseSeries(node, order, filters, context))
  const formulas = computeFormulas(trendsFilter, series.length)
  const results: TrendResult[] = []
  for (const { range, label } of await readComparedRanges(query, context, ask)) {
    const periods = createPeriods(range, interval, context.calendar, 'query.interval')
    checkSize(series.length * countGroups(queryBreakdown) * (isTotal ? 1 : periods.starts.length))
    const lines: TrendLine[] = []
    for (const each of series) {
      const measure = parseMeasure(
        each,
        { actor: parseActor(query, context), periods, isTotal, isCumulative: display === 'ActionsLineGraphCumulative' },
        context,
      )
      for (const { condition, breakdown, isShown, valueOf, labelOf } of divide(queryBreakdown)) {
        const events = toSelection(combine('all', [each.condition, condition]), context)
        const { groups } = await ask('trend', { events, measure, periods, isTotal, breakdown })
        for (const group of groups.filter(isShown))
          lines.push({
            series: each,
            label: nameOf(each.node),
            group: labelOf(group),
            value: valueOf(group),
            numbers: smooth(group.numbers, trendsFilter?.smoothingIntervals ?? 1),
          })
      }
    }
    const shown = formulas === null ? lines : formulas(lines)
    const shape = {
      labels: labelPeriods(periods, interval, context.calendar),
      comparison: label,
      isTotal,
      seriesCount: formulas === null ? series.length : 1,
    }
    for (const line of shown) {
      const numbers = display === 'ActionsLineGraphCumulative' ? accumulate(line.numbers) : line.numbers
      results.push(toTrendResult({ ...line, numbers }, shape))
    }
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
