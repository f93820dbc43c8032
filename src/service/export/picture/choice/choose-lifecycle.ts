import type { JsonObject } from '../../../../wire/json.ts'
import type { Chart } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { namePeriods } from './name-periods.ts'
import { toNumbers, toText } from './read-json.ts'

/** Each status has its colour, also when others are not shown. */
const COLORS: Readonly<Record<string, number>> = { new: 0, returning: 2, resurrecting: 3, dormant: 1 }

/** Lifecycles as bars on top of each other, those who are gone below zero. */
export const chooseLifecycle = (query: JsonObject, results: readonly JsonObject[]): Chart => {
  const periods = namePeriods(results[0]?.['days'], toText(query['interval']) || 'day')
  if (periods.length === 0) return NO_DATA
  const series = results.map((result, index) => {
    const status = toText(result['status'])
    return {
      name: status || toText(result['label']),
      values: toNumbers(result['data']),
      color: COLORS[status] ?? index,
      isEarlier: false,
    }
  })
  return { kind: 'bars', isStacked: true, periods, series, unit: 'count' }
}
