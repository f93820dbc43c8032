import type { JsonObject } from '../../../../wire/json.ts'
import type { Chart } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { nameGroup } from './name-group.ts'
import { namePeriods } from './name-periods.ts'
import { toNumber, toRecord, toRecords, toText } from './read-json.ts'

const INTERVALS: Readonly<Record<string, string>> = { Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' }

/** Retention as a table: a row for each cohort, a column for each period after it. */
export const chooseRetention = (query: JsonObject, results: readonly JsonObject[]): Chart => {
  if (results.length === 0) return NO_DATA
  const filter = toRecord(query['retentionFilter'])
  const period = toText(filter['period']) || 'Day'
  const dates = namePeriods(
    results.map(({ date }) => toText(date)),
    INTERVALS[period] ?? 'day',
  )
  const cohorts = results.map((result, index) => {
    const group = result['breakdown_value']
    return {
      name: `${group === undefined ? '' : `${nameGroup(group)} · `}${dates[index]!}`,
      counts: toRecords(result['values']).map(({ count }) => toNumber(count) ?? 0),
    }
  })
  const count = Math.max(...cohorts.map(({ counts }) => counts.length))
  return {
    kind: 'retention',
    periods: Array.from({ length: count }, (_, index) => `${period} ${index}`),
    cohorts,
    reference: filter['retentionReference'] === 'previous' ? 'previous' : 'total',
  }
}
