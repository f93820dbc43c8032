import { MAX_PERSON_PROPERTIES_BYTES } from '../../wire/bounds.ts'
import type { Json, JsonObject } from '../../wire/json.ts'

/** A change to the properties of a person or group. */
export interface PropertyChange {
  readonly set: JsonObject
  readonly setOnce: JsonObject
  /** Properties with the same names in `set` and `setOnce` win over these. */
  readonly initialValues?: InitialValues
  readonly unset: readonly string[]
}

/** Values that are set together, and only if none of the properties in `names` exists. */
export interface InitialValues {
  readonly names: readonly string[]
  readonly values: JsonObject
}

/**
 * Mutable properties while a batch of events changes them, so that an event costs time for its own properties only.
 * Otherwise a person with many properties would be copied for each of a hundred thousand small events.
 */
export interface PropertyDraft {
  /** A map, because a property may be named `__proto__`. */
  readonly values: Map<string, Json>
  /** Size of the properties as JSON, in bytes. */
  bytes: number
  /** The names whose properties may differ from those the draft began with; null for too many to name. */
  changedNames: Set<string> | null
}

/** What a change did to a draft. */
export interface DraftOutcome {
  readonly isChanged: boolean
  /** Names of properties that were left out, because they did not fit into `MAX_PERSON_PROPERTIES_BYTES`. */
  readonly dropped: readonly string[]
}

/**
 * Creates a draft of stored properties.
 *
 * @param bytes their size as JSON, where it is known: to count it takes a millisecond for a large person.
 */
export const createDraft = (properties: JsonObject, bytes?: number): PropertyDraft => {
  const values = new Map(Object.entries(properties))
  return {
    values,
    bytes: values.size === 0 ? EMPTY_BYTES : (bytes ?? jsonBytes(properties)),
    changedNames: new Set(),
  }
}

/** The current properties of a draft. */
export const readDraft = ({ values }: PropertyDraft): JsonObject => Object.fromEntries(values)

/** Whether a change would alter properties. Needs no draft, so it is the cheap check for events that repeat known values. */
export const wouldChange = (properties: JsonObject, change: PropertyChange): boolean => {
  const has = (key: string) => Object.hasOwn(properties, key)
  const { set, unset } = change
  const setOnce = resolveSetOnce(change, has)
  return (
    Object.entries(set).some(([key, value]) => !has(key) || !isSameValue(properties[key]!, value)) ||
    Object.keys(setOnce).some((key) => !has(key)) ||
    unset.some(has)
  )
}

/**
 * Applies a change: `$set_once` adds missing properties, `$set` overwrites, `$unset` removes and wins over both. A property with which
 * the properties would exceed the limit is left out; the others of the change are set, the smallest first. Properties that
 * already exceed the limit may get other values that do not make them larger.
 */
export const applyToDraft = (draft: PropertyDraft, change: PropertyChange): DraftOutcome => {
  const { values } = draft
  const { set, unset } = change
  const setOnce = resolveSetOnce(change, (key) => values.has(key))
  const unsetNames = new Set(unset)
  const changedEntries = [
    ...Object.entries(setOnce).filter(([key]) => !values.has(key) && !Object.hasOwn(set, key)),
    ...Object.entries(set).filter(([key, value]) => !values.has(key) || !isSameValue(values.get(key)!, value)),
  ].filter(([key]) => !unsetNames.has(key))
  const removedKeys = [...unsetNames].filter((key) => values.has(key))
  if (changedEntries.length + removedKeys.length === 0) return SAME

  for (const key of removedKeys) removeEntry(draft, key)
  const growths = changedEntries.map(([key, value]) => ({ key, value, bytes: growthBytes(draft, key, value) }))
  const totalBytes = growths.reduce((sum, { bytes }) => sum + bytes, 0)
  const dropped =
    totalBytes > 0 && draft.bytes + totalBytes > MAX_PERSON_PROPERTIES_BYTES
      ? setFitting(draft, growths)
      : setAll(draft, growths)
  return { isChanged: removedKeys.length + growths.length > dropped.length, dropped }
}

const SAME: DraftOutcome = { isChanged: false, dropped: [] }

/** A property to set, and the bytes by which the draft grows then. */
interface Growth {
  readonly key: string
  readonly value: Json
  readonly bytes: number
}

const growthBytes = ({ values }: PropertyDraft, key: string, value: Json): number => {
  const current = values.get(key)
  return entryBytes(key, value) - (current === undefined ? 0 : entryBytes(key, current))
}

const setAll = (draft: PropertyDraft, growths: readonly Growth[]): readonly string[] => {
  for (const { key, value, bytes } of growths) {
    draft.values.set(key, value)
    draft.changedNames?.add(key)
    draft.bytes += bytes
  }
  return SAME.dropped
}

/** Sets the properties that fit, and returns the names of the others. Those that grow least go first, so that the fewest are left out. */
const setFitting = (draft: PropertyDraft, growths: readonly Growth[]): readonly string[] => {
  const dropped: string[] = []
  for (const growth of growths.toSorted((a, b) => a.bytes - b.bytes || (a.key < b.key ? -1 : 1))) {
    const fits = growth.bytes <= 0 || draft.bytes + growth.bytes <= MAX_PERSON_PROPERTIES_BYTES
    if (fits) setAll(draft, [growth])
    else dropped.push(growth.key)
  }
  return dropped
}

const resolveSetOnce = ({ setOnce, initialValues }: PropertyChange, has: (key: string) => boolean): JsonObject =>
  initialValues === undefined || initialValues.names.some(has) ? setOnce : { ...initialValues.values, ...setOnce }

/** The merged properties of two persons. */
export interface MergedDraft {
  readonly draft: PropertyDraft
  /** Names of the loser's properties that were dropped because of the size limit. */
  readonly dropped: readonly string[]
}

/**
 * Merges the properties of two persons; the winner's values win. If the result would exceed the limit, the winner keeps all
 * properties and gets those of the loser that fit. The smallest go first, so a long string does not displace an email address.
 * Neither draft may be used afterwards. The cost depends on the smaller draft, so a chain of merges does not copy a large
 * person repeatedly.
 *
 * @param nameGroups lists of names that belong together, such as those of a location: if the winner has one name of a list, the
 * loser's values of all its names are dropped.
 * @param kept the draft whose properties the result replaces, from which `changedNames` differ.
 */
export const mergeDrafts = (
  loser: PropertyDraft,
  winner: PropertyDraft,
  nameGroups: readonly (readonly string[])[] = [],
  kept: 'winner' | 'loser' = 'winner',
): MergedDraft => {
  for (const names of nameGroups) {
    if (names.some((name) => winner.values.has(name))) for (const name of names) removeEntry(loser, name)
  }
  const [smallDraft, largeDraft] = loser.values.size < winner.values.size ? [loser, winner] : [winner, loser]
  for (const key of smallDraft.values.keys()) if (largeDraft.values.has(key)) removeEntry(loser, key)
  const bytes = winner.bytes + loser.bytes - EMPTY_BYTES
  const changedNames = kept === 'winner' ? addNames(winner, loser) : addNames(loser, winner)
  if (bytes <= MAX_PERSON_PROPERTIES_BYTES) {
    for (const [key, value] of smallDraft.values) largeDraft.values.set(key, value)
    return { draft: { values: largeDraft.values, bytes, changedNames }, dropped: [] }
  }
  const dropped: string[] = []
  const entries = [...loser.values].map(([key, value]) => ({ key, value, size: entryBytes(key, value) }))
  for (const { key, value, size } of entries.sort((a, b) => a.size - b.size || (a.key < b.key ? -1 : 1))) {
    if (winner.bytes + size > MAX_PERSON_PROPERTIES_BYTES) dropped.push(key)
    else {
      winner.values.set(key, value)
      winner.bytes += size
    }
  }
  // What was dropped of a loser whose properties are replaced is gone.
  if (kept === 'loser') for (const key of dropped) changedNames?.add(key)
  return { draft: { ...winner, changedNames }, dropped }
}

/** Names above which those that a merge may have changed are not listed. */
const MAX_LISTED_NAMES = 1000

/** The changed names of a draft, and all of another one. */
const addNames = ({ changedNames }: PropertyDraft, added: PropertyDraft): Set<string> | null => {
  if (changedNames === null || added.values.size > MAX_LISTED_NAMES) return null
  for (const key of added.values.keys()) changedNames.add(key)
  return changedNames
}

const removeEntry = (draft: PropertyDraft, key: string): void => {
  const value = draft.values.get(key)
  if (value === undefined) return
  draft.values.delete(key)
  draft.changedNames?.add(key)
  draft.bytes -= entryBytes(key, value)
}

/** JSON of n entries has n - 1 commas and 2 braces. `entryBytes` counts one byte per entry, so one byte is left. */
const EMPTY_BYTES = 1

/** Size of `"key":value,`. */
export const entryBytes = (key: string, value: Json): number => jsonBytes(key) + jsonBytes(value) + 2

const jsonBytes = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

const isSameValue = (a: Json, b: Json): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
