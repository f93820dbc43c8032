import type { JsonObject } from '../../../wire/json.ts'
import type { Condition } from '../filter/condition.ts'
import type { TimeRange } from '../time/periods.ts'
import type { Actor, EventSelection, PropertyReference } from './subject.ts'
import type { GroupValues } from './trend.ts'

/** Which persons or groups there are, or are behind a point of an insight. */
export interface ActorsQuestion {
  readonly of: ActorSelection
  /** Further conditions on persons; those on events are not possible. `matching` and `path` are for these. */
  readonly persons: EventSelection
  /** Part of an id, of a distinct id or group key, or of the property `email` or `name`; null for all. */
  readonly search: string | null
  /** The first one counts most. Actors that are the same in all of them are in the order of their ids. */
  readonly order: readonly ActorOrder[]
  /** At least 1. */
  readonly limit: number
  readonly offset: number
}

/** Whose actors are asked. */
export type ActorSelection =
  /** All persons of the project, or all groups of a type. */
  { readonly kind: 'all'; readonly actor: TrendPoint['actor'] } | TrendPoint

/** One point of a trend: the actors with a selected event in a range. */
export interface TrendPoint {
  readonly kind: 'trend'
  readonly events: EventSelection
  readonly range: TimeRange
  readonly actor: Exclude<Actor, { readonly of: 'session' }>
  /** Not null: the event in the range is the first one of all times among these events. */
  readonly firstAmong: Condition | null
  /** Null without a breakdown. */
  readonly group: PointGroup | null
}

/** A group of a breakdown. */
export interface PointGroup {
  readonly properties: readonly PropertyReference[]
  readonly values: readonly GroupValues[]
  /** Whether the values of an event are among `values`, or are not. */
  readonly isAmong: boolean
}

/** Fields by which actors can be ordered. */
export const ACTOR_ORDERS = ['created_at', 'id'] as const

export interface ActorOrder {
  readonly by: (typeof ACTOR_ORDERS)[number]
  readonly isDescending: boolean
}

export interface ActorsAnswer {
  readonly actors: readonly ActorRecord[]
  readonly hasMore: boolean
  /** Actors of the selection, before any search, of whom nothing is known but their id. They are not among `actors`. */
  readonly missingCount: number
}

/** A person or group as it is now. */
export type ActorRecord = PersonRecord | GroupRecord

export interface PersonRecord {
  readonly of: 'person'
  readonly id: string
  readonly properties: JsonObject
  readonly isIdentified: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** In the order of their text. */
  readonly distinctIds: readonly string[]
}

export interface GroupRecord {
  readonly of: 'group'
  readonly type: string
  readonly key: string
  readonly properties: JsonObject
  /** Milliseconds since 1970. */
  readonly createdAt: number
}
