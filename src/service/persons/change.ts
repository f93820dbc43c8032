import type { KnownProperties } from '../ingest/event-scanner.ts'
import type { EventPosition } from '../store/row-position.ts'
import { isEmptyObject, isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { InitialValues } from './property-draft.ts'
import { EventName } from '../../wire/event.ts'
import { isMergeableId } from '../../wire/is-mergeable-id.ts'
import { sanitizeId } from '../../wire/stored-id.ts'

/** The change that one event makes to its person or group. It is read from the event only; the stored person is not needed. */
export type Change =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'person'
      readonly distinctId: string
      /** The merge of another person into the person of `distinctId`; null for no merge. */
      readonly merge: PersonMerge | null
      /** Whether the person is identified from now on: true for `$identify`, and for `$create_alias` with mergeable ids. */
      readonly identifies: boolean
      readonly set: JsonObject
      readonly setOnce: JsonObject
      /** The location of the person's first event (`$initial_geoip_…`); missing when the event has no location. */
      readonly initialValues?: InitialValues
      /** Names of properties to remove. */
      readonly unset: readonly string[]
    }
  | { readonly kind: 'group'; readonly type: string; readonly key: string; readonly set: JsonObject }

/** A merge of two persons. */
export interface PersonMerge {
  /** The distinct id whose person is merged and then no longer exists. */
  readonly fromDistinctId: string
  /** The event that asks for the merge: `$identify` or `$create_alias`. They may merge different persons (`canMerge`). */
  readonly kind: 'identify' | 'alias'
}

/** A change and the position of its event. */
export interface RowChange extends EventPosition {
  readonly change: Exclude<Change, { kind: 'none' }>
  /** When the event happened, in milliseconds since 1970. */
  readonly timestampMs: number
}

/** The fields of an event from which `readChange` reads its change. */
export interface PersonEvent {
  readonly event: string
  readonly distinctId: string
  readonly properties: KnownProperties
}

/** Whether a change says only that the person of its distinct id exists. */
export const isPlainChange = (change: Change): change is Extract<Change, { kind: 'person' }> =>
  change.kind === 'person' &&
  change.merge === null &&
  !change.identifies &&
  change.initialValues === undefined &&
  change.unset.length === 0 &&
  isEmptyObject(change.set) &&
  isEmptyObject(change.setOnce)

/** Reads the change of an event. An event with `$process_person_profile: false` changes no person. */
export const readChange = (event: PersonEvent): Change => {
  const { properties } = event
  if (event.event === EventName.groupIdentify || event.event === EventName.groupIdentifyMigration) {
    return readGroupChange(properties)
  }
  if (properties['$process_person_profile'] === false) return { kind: 'none' }
  const set = objectOrEmpty(properties['$set'])
  const setOnce = objectOrEmpty(properties['$set_once'])
  const unset = readUnsetNames(properties['$unset'])
  const { distinctId } = event
  if (event.event === EventName.identify) {
    const anonymousId = sanitizeId(properties['$anon_distinct_id'])
    const merge = canMergeIds(distinctId, anonymousId)
      ? ({ fromDistinctId: anonymousId, kind: 'identify' } as const)
      : null
    return { kind: 'person', distinctId, merge, identifies: true, set, setOnce, unset }
  }
  if (event.event === EventName.createAlias) {
    // Unlike in `$identify`, the event's distinct id is the one that is merged; the person of the alias stays.
    const alias = sanitizeId(properties['alias'])
    if (canMergeIds(distinctId, alias)) {
      const merge = { fromDistinctId: distinctId, kind: 'alias' } as const
      return { kind: 'person', distinctId: alias, merge, identifies: true, set, setOnce, unset }
    }
  }
  return { kind: 'person', distinctId, merge: null, identifies: false, set, setOnce, unset }
}

/** A group event changes only its group. Its distinct id is often an invented one, so it creates no person. */
const readGroupChange = (properties: KnownProperties): Change => {
  const type = sanitizeId(properties['$group_type'])
  const key = sanitizeId(properties['$group_key'])
  if (type === null || type === '' || key === null || key === '') return { kind: 'none' }
  return { kind: 'group', type, key, set: objectOrEmpty(properties['$group_set']) }
}

/** `$unset` is a list of names; some senders use an object with the names as keys. */
const readUnsetNames = (value: Json | undefined): readonly string[] =>
  value === undefined
    ? NOTHING_UNSET
    : Array.isArray(value)
      ? value.filter((name) => typeof name === 'string')
      : Object.keys(objectOrEmpty(value))

const canMergeIds = (id: string, otherId: unknown): otherId is string =>
  isMergeableId(id) && isMergeableId(otherId) && otherId !== id

const objectOrEmpty = (value: Json | undefined): JsonObject => (isRecord(value) ? value : NO_PROPERTIES)

// Shared by all events without changes, which are nearly all.
const NO_PROPERTIES: JsonObject = {}
const NOTHING_UNSET: readonly string[] = []
