import type { DateRange } from '../time/date-range.ts'
import type { Condition } from '../filter/condition.ts'

/** Which sessions match: those of the `$session_id` that events carry. */
export interface SessionFilter {
  /** Only events in this range are read. */
  readonly range: DateRange
  readonly condition: SessionCondition
  readonly durations: readonly DurationCondition[]
}

/** A condition on the events of a session together. */
export type SessionCondition =
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly SessionCondition[] }
  /** One of the events matches. */
  | { readonly kind: 'some_event'; readonly condition: Condition }

/** A condition on the time from the first to the last event of a session, in seconds. */
export interface DurationCondition {
  readonly sign: '>' | '>=' | '<' | '<=' | '=' | '<>'
  readonly seconds: number
}
