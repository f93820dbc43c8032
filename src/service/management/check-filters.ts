import type { JsonObject } from '../../wire/json.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { checkDashboardFilters } from '../insight/query/override-filters.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findMisspelledName } from '../insight/check/find-misspelled-name.ts'
import { checkNewFilters } from './check-new-query.ts'
import { checkQuerySize } from './create-query-work.ts'
import { parseRequestFilters } from './filter-http-error.ts'
import { refuseMisspelled } from './refuse-misspelled.ts'

/** The filters that insights can have from elsewhere. */
const FILTER_FIELDS: readonly string[] = ['date_from', 'date_to', 'properties']

/** Where filters come from. */
interface FilterOrigin {
  readonly projectId: number
  /** The field of the body, for errors. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Checks new dates and filters that insights have instead of their own, or besides. Rejects with `HttpError` (400) if they fit no insight. */
export const checkFilters = async (
  metadata: Metadata,
  filters: JsonObject,
  { projectId, name, now }: FilterOrigin,
): Promise<void> => {
  checkQuerySize(filters, name)
  refuseMisspelled(findMisspelledName(filters, name, FILTER_FIELDS))
  checkNewFilters(filters['properties'], `${name}.properties`)
  const context = await loadFilterContext(metadata, projectId, now)
  parseRequestFilters(() => checkDashboardFilters(filters, context, name))
}
