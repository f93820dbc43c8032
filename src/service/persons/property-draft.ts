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
  readonly unset: readonly string[]
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
export function openDraft(properties: JsonObject): PropertyDraft {
  const values = new Map(Object.entries(properties))
  return { values, bytes: values.size === 0 ? EMPTY_BYTES : bytesOf(properties) }
}

/** What the draft has become. */
export function draftedProperties({ values }: PropertyDraft): JsonObject {
  return Object.fromEntries(values)
}

/** Whether a change would do anything to properties; tells without a draft that an event says what is known already. */
export function alters(properties: JsonObject, { set, setOnce, unset }: PropertyChange): boolean {
  const has = (key: string) => Object.hasOwn(properties, key)
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
export function changeDraft(draft: PropertyDraft, { set, setOnce, unset }: PropertyChange): DraftOutcome {
  const { values } = draft
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

/**
 * The properties of two persons who become one: where both have a property, the winner's value. Both drafts are used up.
 * Works through the smaller of the two, so that a chain of merges does not copy one large person again and again.
 */
export function joinDrafts(
  loser: PropertyDraft,
  winner: PropertyDraft,
): { readonly draft: PropertyDraft; readonly outcome: DraftOutcome } {
  const [small, large] = loser.values.size < winner.values.size ? [loser, winner] : [winner, loser]
  const common = [...small.values.keys()].filter((key) => large.values.has(key))
  const growth =
    loser.bytes - EMPTY_BYTES - common.reduce((sum, key) => sum + entryBytes(key, loser.values.get(key)!), 0)
  if (growth <= 0) return { draft: winner, outcome: 'same' }
  const bytes = winner.bytes + growth
  if (bytes > MOST_PROPERTY_BYTES) return { draft: winner, outcome: 'oversized' }
  for (const [key, value] of small.values) {
    if (small === winner || !large.values.has(key)) large.values.set(key, value)
  }
  return { draft: { values: large.values, bytes }, outcome: 'changed' }
}

/** With n properties, JSON has n - 1 commas and 2 braces: one more than a comma each. */
const EMPTY_BYTES = 1

/** Of `"key":value,`. */
function entryBytes(key: string, value: Json): number {
  return bytesOf(key) + bytesOf(value) + 2
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function sameValue(one: Json, other: Json): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
