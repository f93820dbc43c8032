import type { JsonObject } from '../../../wire/json.ts'
import type { Condition } from '../filter/condition.ts'
import type { TimeRange } from '../time/periods.ts'
import type { Actor, EventSelection, PropertyReference } from './subject.ts'
import type { FunnelPoint } from './funnel.ts'
import type { LifecycleQuestion, LifecycleStatus } from './lifecycle.ts'
import type { PathNode, PathsQuestion } from './paths.ts'
import type { RetentionQuestion } from './retention.ts'
import type { StickinessQuestion } from './stickiness.ts'
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
  { readonly kind: 'all'; readonly actor: TrendPoint['actor'] } | ActorPoint

/** A number of an insight. */
export type ActorPoint = TrendPoint | StickinessPoint | LifecyclePoint | RetentionPoint | FunnelPoint | PathsPoint

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

/** The actors with a number of periods in a range; both ends are included. */
export interface StickinessPoint {
  readonly kind: 'stickiness'
  readonly question: StickinessQuestion
  readonly least: number
  readonly most: number
}

/** The actors with a status in a period. */
export interface LifecyclePoint {
  readonly kind: 'lifecycle'
  readonly question: LifecycleQuestion
  /** Its index; at least 1. */
  readonly period: number
  readonly status: LifecycleStatus
}

/** The actors in the cohort of a period. */
export interface RetentionPoint {
  readonly kind: 'retention'
  /** Without a breakdown. */
  readonly question: RetentionQuestion
  /** Index of the period. */
  readonly period: number
}

/** The actors with a path that has items at places, as far as these are not null. Only items that count are in a path. */
export interface PathsPoint {
  readonly kind: 'paths'
  readonly question: PathsQuestion
  /** An item that is not the last one. */
  readonly from: PathNode | null
  /** Any item. */
  readonly to: PathNode | null
  /** The last item. */
  readonly last: PathNode | null
}

/** Who is listed. */
export const actorOf = (selection: ActorSelection): Actor =>
  'actor' in selection ? selection.actor : selection.question.actor

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
