import type { JsonObject } from '../../../wire/json.ts'
import type { DateRange } from '../time/date-range.ts'
import type { PersonRecord } from './actors.ts'
import type { EventSelection, PropertyReference } from './subject.ts'

/** Which events there are. */
export interface EventsQuestion {
  readonly events: EventSelection
  readonly range: DateRange
  /** Whether the answer has the properties of events. */
  readonly hasProperties: boolean
  /** Whether the answer has the persons of events. */
  readonly hasPersons: boolean
  /** Properties that the answer has as texts. */
  readonly texts: readonly PropertyReference[]
  /** The first one counts most. Events that are the same in all of them are in the order of their uuids, in the direction of the first one. */
  readonly order: readonly EventFieldOrder[]
  /** At least 1. */
  readonly limit: number
  readonly offset: number
}

/** Fields by which events can be ordered. */
export const EVENT_ORDERS = ['timestamp', 'created_at', 'event', 'distinct_id', 'uuid'] as const

export interface EventFieldOrder {
  /** `created_at`: when the service received the event. */
  readonly by: (typeof EVENT_ORDERS)[number]
  readonly isDescending: boolean
}

export interface EventsAnswer {
  readonly events: readonly EventRecord[]
  readonly hasMore: boolean
}

/** Times are in milliseconds since 1970. */
export interface EventRecord {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  readonly timestamp: number
  readonly receivedAt: number
  /** Null unless they were asked. */
  readonly properties: JsonObject | null
  /** The person as it is now; null for an event that has created none, or unless persons were asked. */
  readonly person: PersonRecord | null
  readonly texts: readonly (string | null)[]
}
