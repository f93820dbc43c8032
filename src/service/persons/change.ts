import type { EventPlace } from '../store/row-position.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { FirstValues } from './property-draft.ts'
import { EventName } from '../../wire/event.ts'
import { cleanId } from '../../wire/id.ts'

/** What one event asks of its person and group. Pure reading of an event; who the person is comes later. */
export type Change =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'person'
      readonly distinctId: string
      /** The id whose person becomes the same as that of `distinctId`; null when there is nothing to join. */
      readonly join: { readonly from: string; readonly by: 'identify' | 'alias' } | null
      /** True for `$identify` and `$create_alias`: the person is then somebody known. */
      readonly identifies: boolean
      readonly set: JsonObject
      readonly setOnce: JsonObject
      /** Properties that are set once, as one. */
      readonly first?: FirstValues
      /** Names of properties that are taken away. */
      readonly unset: readonly string[]
    }
  | { readonly kind: 'group'; readonly type: string; readonly key: string; readonly set: JsonObject }

/** A change and where it came from. */
export interface RowChange extends EventPlace {
  readonly change: Exclude<Change, { kind: 'none' }>
  /** When the event happened, in milliseconds since 1970. */
  readonly at: number
}

/** The parts of an event that persons depend on. */
export interface PersonEvent {
  readonly event: string
  readonly distinctId: string
  readonly properties: JsonObject
}

/**
 * Ids that a program sends when it has none. Joining by one of them would make one person of everybody, so `$identify`
 * and `$create_alias` do not join them.
 */
const PLACEHOLDERS = new Set(
  'anonymous guest none null undefined nan nil id distinctid distinct_id email true false 0 not_authenticated'.split(
    ' ',
  ),
)

/** Whether an id names somebody. False for blank ids, `null`, `undefined`, `[object Object]` and their like. */
const isJoinableId = (id: unknown): id is string => {
  if (typeof id !== 'string') return false
  const plain = id
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase()
  return plain !== '' && plain !== '[object object]' && !PLACEHOLDERS.has(plain)
}

/** Reads what an event asks for. An event with `$process_person_profile: false` changes no person. */
export const changeOf = (event: PersonEvent): Change => {
  const { properties } = event
  if (event.event === EventName.groupIdentify || event.event === EventName.groupIdentifyMigration) {
    return groupOf(properties)
  }
  if (properties['$process_person_profile'] === false) return { kind: 'none' }
  const set = objectOr(properties['$set'])
  const setOnce = objectOr(properties['$set_once'])
  const unset = namesIn(properties['$unset'])
  const asks = { kind: 'person', set, setOnce, unset } as const
  if (event.event === EventName.identify) {
    const from = cleanId(properties['$anon_distinct_id'])
    const join = isPair(event.distinctId, from) ? ({ from, by: 'identify' } as const) : null
    return { ...asks, distinctId: event.distinctId, join, identifies: true }
  }
  if (event.event === EventName.createAlias) {
    // The event's distinct id is merged away, the alias becomes the main id (service-api, special event names).
    const main = cleanId(properties['alias'])
    if (isPair(event.distinctId, main)) {
      const join = { from: event.distinctId, by: 'alias' } as const
      return { ...asks, distinctId: main, join, identifies: true }
    }
  }
  return { ...asks, distinctId: event.distinctId, join: null, identifies: false }
}

/** Group events speak of a group alone: their distinct id is often made up, and is no person. */
const groupOf = (properties: JsonObject): Change => {
  const type = cleanId(properties['$group_type'])
  const key = cleanId(properties['$group_key'])
  if (type === null || type === '' || key === null || key === '') return { kind: 'none' }
  return { kind: 'group', type, key, set: objectOr(properties['$group_set']) }
}

/** `$unset` is a list of names; some senders give an object whose keys are meant. */
const namesIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : Object.keys(objectOr(value))

const isPair = (id: string, other: unknown): other is string => isJoinableId(id) && isJoinableId(other) && other !== id

const objectOr = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})
