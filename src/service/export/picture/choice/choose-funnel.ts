import { isRecord } from '../../../../wire/json.ts'
import type { Json, JsonObject } from '../../../../wire/json.ts'
import type { Chart } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { formatDuration } from '../format/format-duration.ts'
import { hasOpenEnd } from './has-open-end.ts'
import { nameGroup } from './name-group.ts'
import { namePeriods } from './name-periods.ts'
import { toList, toNumber, toNumbers, toRecord, toRecords, toText } from './read-json.ts'

/** A funnel as its view says: steps, conversions over time, or the times of conversions. */
export const chooseFunnel = (query: JsonObject, answer: JsonObject, results: Json | undefined): Chart => {
  if (isRecord(results)) return chooseTimes(results)
  const isTrend = toRecord(query['funnelsFilter'])['funnelVizType'] === 'trends'
  return isTrend ? chooseRates(query, answer, toRecords(results)) : chooseSteps(toList(results))
}

const chooseSteps = (results: readonly Json[]): Chart => {
  const groups = Array.isArray(results[0]) ? results.map(toRecords) : [results.filter(isRecord)]
  const [first] = groups
  if (first === undefined || first.length === 0) return NO_DATA
  return {
    kind: 'funnel',
    steps: first.map((step) => toText(step['custom_name']) || toText(step['name']) || 'Step'),
    groups: groups.map((steps) => ({
      name: steps[0]?.['breakdown_value'] === undefined ? null : nameGroup(steps[0]['breakdown_value']),
      counts: steps.map((step) => toNumber(step['count']) ?? 0),
    })),
  }
}

const chooseRates = (query: JsonObject, answer: JsonObject, results: readonly JsonObject[]): Chart => {
  const [first] = results
  if (first === undefined) return NO_DATA
  const interval = toText(query['interval']) || 'day'
  const periods = namePeriods(first['days'], interval)
  if (periods.length === 0) return NO_DATA
  const series = results.map((result, index) => ({
    name: result['breakdown_value'] === undefined ? 'Conversion' : nameGroup(result['breakdown_value']),
    values: toNumbers(result['data']),
    color: index,
    isEarlier: false,
  }))
  const isOpen = hasOpenEnd(answer, first['days'], interval)
  return { kind: 'lines', isStacked: false, periods, series, unit: 'percent', hasOpenEnd: isOpen }
}

const chooseTimes = (results: JsonObject): Chart => {
  const bins = toList(results['bins']).map(toNumbers)
  if (bins.length === 0) return NO_DATA
  const average = toNumber(results['average_conversion_time'])
  return {
    kind: 'bars',
    isStacked: false,
    periods: bins.map(([seconds]) => formatDuration(seconds ?? 0)),
    series: [
      {
        name: average === null ? 'Conversions by time' : `Conversions by time (average ${formatDuration(average)})`,
        values: bins.map(([, count]) => count ?? null),
        color: 0,
        isEarlier: false,
      },
    ],
    unit: 'count',
  }
}
