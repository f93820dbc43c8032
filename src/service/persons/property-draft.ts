import type { Json, JsonObject } from '../../wire/json.ts'

/**
 * Most bytes of JSON that the properties of one person or group may have (1 MiB). They are read and written whole with
 * every batch and held in memory meanwhile: without a bound, a few small compressed requests make a person that no store
 * can take, and everything behind it waits for ever.
 */
export const MOST_PROPERTY_BYTES: number = 1024 * 1024

/** What an event wants of the properties of a person or group. */
export interface PropertyChange {
  readonly set: JsonObject
  readonly setOnce: JsonObject
  /** Weaker than all others. */
  readonly first?: FirstValues
  readonly unset: readonly string[]
}

/** Values that are set once and together: only where nothing is known of all that they might be. */
export interface FirstValues {
  readonly among: readonly string[]
  readonly values: JsonObject
}

/**
 * Properties while a batch of events changes them: an event then costs what it brings, not what its person has. A person
 * with many properties would otherwise be copied for each of a hundred thousand small events.
 */
export interface PropertyDraft {
  /** A map, for a property may be called `__proto__`. */
  readonly values: Map<string, Json>
  /** Bytes of their JSON text. */
  bytes: number
}

/** `oversized`: nothing was done, as the properties would have become larger than `MOST_PROPERTY_BYTES`. */
export type DraftOutcome = 'same' | 'changed' | 'oversized'

/** A draft that begins with these properties. */
export const openDraft = (properties: JsonObject): PropertyDraft => {
  const values = new Map(Object.entries(properties))
  return { values, bytes: values.size === 0 ? EMPTY_BYTES : bytesOf(properties) }
}

/** What the draft has become. */
export const draftedProperties = ({ values }: PropertyDraft): JsonObject => Object.fromEntries(values)

/** Whether a change would do anything to properties; tells without a draft that an event says what is known already. */
export const alters = (properties: JsonObject, change: PropertyChange): boolean => {
  const has = (key: string) => Object.hasOwn(properties, key)
  const { set, unset } = change
  const setOnce = onceOf(change, has)
  return (
    Object.entries(set).some(([key, value]) => !has(key) || !sameValue(properties[key]!, value)) ||
    Object.keys(setOnce).some((key) => !has(key)) ||
    unset.some(has)
  )
}

/**
 * `$set_once` fills what is absent, `$set` overwrites, `$unset` takes away and wins: all of it or, where it is too much,
 * nothing. Properties that are too large already may still shrink.
 */
export const changeDraft = (draft: PropertyDraft, change: PropertyChange): DraftOutcome => {
  const { values } = draft
  const { set, unset } = change
  const setOnce = onceOf(change, (key) => values.has(key))
  const gone = new Set(unset)
  const puts = [
    ...Object.entries(setOnce).filter(([key]) => !values.has(key) && !Object.hasOwn(set, key)),
    ...Object.entries(set).filter(([key, value]) => !values.has(key) || !sameValue(values.get(key)!, value)),
  ].filter(([key]) => !gone.has(key))
  const removed = [...gone].filter((key) => values.has(key))
  if (puts.length + removed.length === 0) return 'same'

  const added = puts.reduce((sum, [key, value]) => sum + entryBytes(key, value), 0)
  const replaced = [...puts.map(([key]) => key), ...removed].filter((key) => values.has(key))
  const growth = added - replaced.reduce((sum, key) => sum + entryBytes(key, values.get(key)!), 0)
  if (growth >= 0 && draft.bytes + growth > MOST_PROPERTY_BYTES) return 'oversized'
  for (const [key, value] of puts) values.set(key, value)
  for (const key of removed) values.delete(key)
  draft.bytes += growth
  return 'changed'
}

const onceOf = ({ setOnce, first }: PropertyChange, has: (key: string) => boolean): JsonObject =>
  first === undefined || first.among.some(has) ? setOnce : { ...first.values, ...setOnce }

/** What became of the properties of two persons. */
export interface JoinedDraft {
  readonly draft: PropertyDraft
  /** Names of the loser's properties that there was no room for. */
  readonly left: readonly string[]
}

/**
 * The properties of two persons who become one: where both have a property, the winner's value; of each set that belongs
 * together, the winner's where they have any. Where both together are too large, the winner keeps all, and of the loser's
 * those are kept that fit, the smallest first: a mail address is not lost for a long text. Both drafts are used up. Works
 * through the smaller of the two, so that a chain of merges does not copy one large person again and again.
 *
 * @param sets names that are the parts of one thing, such as a place.
 */
export const joinDrafts = (
  loser: PropertyDraft,
  winner: PropertyDraft,
  sets: readonly (readonly string[])[] = [],
): JoinedDraft => {
  for (const names of sets) {
    if (names.some((name) => winner.values.has(name))) for (const name of names) remove(loser, name)
  }
  const [small, large] = loser.values.size < winner.values.size ? [loser, winner] : [winner, loser]
  for (const key of small.values.keys()) if (large.values.has(key)) remove(loser, key)
  const bytes = winner.bytes + loser.bytes - EMPTY_BYTES
  if (bytes <= MOST_PROPERTY_BYTES) {
    for (const [key, value] of small.values) large.values.set(key, value)
    return { draft: { values: large.values, bytes }, left: [] }
  }
  const left: string[] = []
  const sizes = [...loser.values].map(([key, value]) => ({ key, value, size: entryBytes(key, value) }))
  for (const { key, value, size } of sizes.sort(
    (one, other) => one.size - other.size || (one.key < other.key ? -1 : 1),
  )) {
    if (winner.bytes + size > MOST_PROPERTY_BYTES) left.push(key)
    else {
      winner.values.set(key, value)
      winner.bytes += size
    }
  }
  return { draft: winner, left }
}

const remove = (draft: PropertyDraft, key: string): void => {
  const value = draft.values.get(key)
  if (value === undefined) return
  draft.values.delete(key)
  draft.bytes -= entryBytes(key, value)
}

/** With n properties, JSON has n - 1 commas and 2 braces: one more than a comma each. */
const EMPTY_BYTES = 1

/** Of `"key":value,`. */
const entryBytes = (key: string, value: Json): number => bytesOf(key) + bytesOf(value) + 2

const bytesOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

const sameValue = (one: Json, other: Json): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
