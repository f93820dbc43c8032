import type { JsonObject } from '../../../../wire/json.ts'
import type { Chart } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { toSeries } from './choose-trends.ts'
import { toList, toText } from './read-json.ts'

/** Stickiness as bars: how many were there on one day, on two days, and so on. */
export const chooseStickiness = (results: readonly JsonObject[]): Chart => {
  const periods = toList(results[0]?.['labels']).map(toText)
  if (periods.length === 0) return NO_DATA
  return { kind: 'bars', isStacked: false, periods, series: toSeries(results), unit: 'count' }
}
