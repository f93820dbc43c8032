import type { DateRange } from '../time/date-range.ts'
import type { EventSelection, PropertyReference } from './subject.ts'

/** The range of the numbers that a property has in events. */
export interface NumberRangeQuestion {
  /** The events of all of them together. */
  readonly selections: readonly { readonly events: EventSelection; readonly range: DateRange }[]
  readonly property: PropertyReference
}
