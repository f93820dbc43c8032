import type { JsonObject } from '../../../../wire/json.ts'
import { OTHER_VALUES } from '../../../insight/query/breakdown-marks.ts'
import type { Chart, NamedValue, Series } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { hasOpenEnd } from './has-open-end.ts'
import { namePeriods } from './name-periods.ts'
import { toNumber, toNumbers, toRecord, toText } from './read-json.ts'

const isOther = (result: JsonObject): boolean =>
  [result['breakdown_value']].flat().every((value) => value === OTHER_VALUES)

const isEarlier = (result: JsonObject): boolean => result['compare_label'] === 'previous'

const nameOf = (result: JsonObject): string => toText(result['label']) || 'Series'

/** Trends as their display says. */
export const chooseTrends = (query: JsonObject, answer: JsonObject, results: readonly JsonObject[]): Chart => {
  if (results.length === 0) return NO_DATA
  const display = toText(toRecord(query['trendsFilter'])['display']) || 'ActionsLineGraph'
  const interval = toText(query['interval']) || 'day'
  switch (display) {
    case 'ActionsPie':
      return choosePie(toValues(results.filter((result) => !isEarlier(result))))
    case 'ActionsBarValue':
      return { kind: 'ranking', items: toValues(results).toSorted((a, b) => b.value - a.value) }
    case 'BoldNumber':
      return chooseNumbers(results)
    case 'ActionsTable':
    case 'WorldMap':
      return {
        kind: 'table',
        columns: ['Series', 'Total'],
        rows: results.map((result) => [nameWithTime(result), toNumber(result['aggregated_value'])]),
        hasMore: false,
      }
    default: {
      const series = toSeries(results)
      const days = (results.find((result) => !isEarlier(result)) ?? results[0]!)['days']
      const periods = namePeriods(days, interval)
      if (periods.length === 0) return NO_DATA
      if (display === 'ActionsBar' || display === 'ActionsStackedBar')
        return { kind: 'bars', isStacked: !series.some((each) => each.isEarlier), periods, series, unit: 'count' }
      if (display === 'ActionsUnstackedBar') return { kind: 'bars', isStacked: false, periods, series, unit: 'count' }
      const isStacked = display === 'ActionsAreaGraph' && !series.some((each) => each.isEarlier)
      return {
        kind: 'lines',
        isStacked,
        periods,
        series,
        unit: 'count',
        hasOpenEnd: hasOpenEnd(answer, days, interval),
      }
    }
  }
}

const nameWithTime = (result: JsonObject): string => `${nameOf(result)}${isEarlier(result) ? ' (earlier)' : ''}`

/** Series of an earlier time have the colour of the series that they are compared with. */
export const toSeries = (results: readonly JsonObject[]): readonly Series[] => {
  const colors = new Map<string, number>()
  return results.map((result) => {
    const key = JSON.stringify([
      toRecord(result['action'])['order'] ?? null,
      result['breakdown_value'] ?? null,
      result['label'] ?? null,
    ])
    const color = colors.get(key) ?? colors.size
    if (!(result['breakdown_value'] !== undefined && isOther(result))) colors.set(key, color)
    return {
      name: nameWithTime(result),
      values: toNumbers(result['data']),
      color: result['breakdown_value'] !== undefined && isOther(result) ? 'other' : color,
      isEarlier: isEarlier(result),
    }
  })
}

const toValues = (results: readonly JsonObject[]): readonly NamedValue[] => {
  const series = toSeries(results)
  return results.map((result, index) => ({
    name: series[index]!.name,
    value: toNumber(result['aggregated_value']) ?? 0,
    color: series[index]!.color,
  }))
}

const choosePie = (values: readonly NamedValue[]): Chart => {
  // A negative part of a whole cannot be drawn.
  if (values.some(({ value }) => value < 0))
    return { kind: 'ranking', items: values.toSorted((a, b) => b.value - a.value) }
  const slices = values.filter(({ value }) => value > 0)
  return slices.length === 0 ? NO_DATA : { kind: 'pie', slices }
}

const chooseNumbers = (results: readonly JsonObject[]): Chart => {
  const current = results.filter((result) => !isEarlier(result))
  const earlier = results.filter(isEarlier)
  return {
    kind: 'numbers',
    items: current.map((result) => ({
      name: nameOf(result),
      value: toNumber(result['aggregated_value']),
      earlier: toNumber(
        earlier.find(
          (other) =>
            other['label'] === result['label'] &&
            JSON.stringify(other['breakdown_value']) === JSON.stringify(result['breakdown_value']),
        )?.['aggregated_value'],
      ),
    })),
  }
}
