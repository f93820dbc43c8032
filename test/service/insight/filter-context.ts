import type { FilterContext } from '../../../src/service/insight/filter/filter-context.ts'
import { UTC_CALENDAR } from '../../../src/service/insight/time/calendar.ts'

/** What filters of a project refer to that has only what a test gives it. */
export const filterContext = (fields: Partial<FilterContext> = {}): FilterContext => ({
  projectId: 1,
  groupTypes: {},
  cohorts: {},
  rules: {},
  now: 0,
  calendar: UTC_CALENDAR,
  testAccountFilters: [],
  ...fields,
})
