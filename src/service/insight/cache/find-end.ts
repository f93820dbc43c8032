import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { startOfNext, toLocalTime } from '../time/calendar.ts'

type Unit = 'minute' | 'hour' | 'day'

/** The unit of a relative date; a day for any other. */
const unitOfDate = (date: Json | undefined): Unit => {
  if (typeof date !== 'string') return 'day'
  if (/^-?\d*M/.test(date)) return 'minute'
  return /^-?\d*h/.test(date) ? 'hour' : 'day'
}

/** The unit of an interval, or of a period of retention; a day for a longer one. */
const unitOfInterval = (interval: Json | undefined): Unit => {
  if (interval === 'minute') return 'minute'
  return interval === 'hour' || interval === 'Hour' ? 'hour' : 'day'
}

/**
 * When the dates that a query names become other ones: at once where they are moments, else with the next day, or with the next hour
 * or minute where these are its periods or the units of its dates. Milliseconds since 1970.
 */
export const findEnd = (
  { interval, dateRange, retentionFilter, funnelPathsFilter }: JsonObject,
  context: Pick<FilterContext, 'now' | 'calendar'>,
): number => {
  const { now, calendar } = context
  const { explicitDate, date_from: from, date_to: to } = isRecord(dateRange) ? dateRange : ({} as JsonObject)
  if (explicitDate === true) return now
  const period = isRecord(retentionFilter) ? retentionFilter['period'] : undefined
  const units = new Set([unitOfInterval(interval), unitOfInterval(period), unitOfDate(from), unitOfDate(to)])
  const unit = (['minute', 'hour', 'day'] as const).find((each) => units.has(each))!
  const end = startOfNext(unit, toLocalTime(now, calendar), calendar).epochMilliseconds
  const funnel = isRecord(funnelPathsFilter) ? funnelPathsFilter['funnelSource'] : null
  return isRecord(funnel) ? Math.min(end, findEnd(funnel, context)) : end
}
