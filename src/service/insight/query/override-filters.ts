import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseFilters } from '../filter/parse-filters.ts'
import { parseDateRange } from '../time/date-range.ts'

const toList = (filters: Json | undefined): readonly Json[] => {
  if (filters === undefined || filters === null) return []
  return Array.isArray(filters) ? filters : [filters]
}

/** Checks the filters of a dashboard, for any query. Throws `FilterError`. */
export const checkDashboardFilters = (filters: JsonObject, context: FilterContext): void => {
  const { from, before } = parseDateRange(filters, 'filters', { ...context, hasWholeDays: true })
  if (from !== undefined && before !== undefined && from >= before)
    throw new FilterError('filters.date_to', 'must not be before "date_from"')
  parseFilters(filters['properties'], 'filters.properties', context)
}

/**
 * A query with the dates and the property filters of its dashboard: the dates replace those of the query, the filters are added to
 * its own. The same is done to the funnel that paths are around.
 *
 * @param filters `date_from`, `date_to` and `properties`; each may be missing.
 */
export const overrideFilters = (query: JsonObject, filters: JsonObject): JsonObject => {
  const { source } = query
  // A node that only shows the answer to its source.
  if (isRecord(source)) return { ...query, source: overrideFilters(source, filters) }
  const { date_from: from = null, date_to: to = null, properties } = filters
  const own = isRecord(query['dateRange']) ? query['dateRange'] : {}
  const added = toList(properties)
  const paths = query['funnelPathsFilter']
  return {
    ...query,
    ...(isRecord(paths) &&
      isRecord(paths['funnelSource']) && {
        funnelPathsFilter: { ...paths, funnelSource: overrideFilters(paths['funnelSource'], filters) },
      }),
    ...((from !== null || to !== null) && { dateRange: { ...own, date_from: from, date_to: to } }),
    ...(added.length > 0 && {
      properties: { type: 'AND', values: [...toList(query['properties']).map(toGroup), ...added.map(toGroup)] },
    }),
  }
}

/** Groups contain groups. */
const toGroup = (filter: Json): Json =>
  isRecord(filter) && filter['values'] !== undefined ? filter : { type: 'AND', values: [filter] }
