import type { MatchingRules } from '../../../evaluate/operators/operator.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Calendar } from '../time/calendar.ts'
import type { CohortDefinition } from '../../../wire/definition.ts'

/** What filters refer to, and when they are applied. */
export interface FilterContext {
  readonly projectId: number
  /** Group type index, as a string, to group type. */
  readonly groupTypes: Readonly<Record<string, string>>
  /** Cohort id to definition. */
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
  /** The same rules as for the project's flags. */
  readonly rules: MatchingRules
  /** Milliseconds since 1970; relative dates count from here. */
  readonly now: number
  /** How the project counts days. */
  readonly calendar: Calendar
  /** Filters for the persons and events that count when internal and test users are left out. */
  readonly testAccountFilters: readonly JsonObject[]
}
