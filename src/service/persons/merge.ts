import type { JsonObject } from '../../wire/json.ts'
import type { Person } from './person.ts'

/** What an event wants of a person's properties. */
export interface PropertyChange {
  readonly set: JsonObject
  readonly setOnce: JsonObject
  readonly unset: readonly string[]
}

/** `$set_once` fills what is absent, `$set` overwrites, `$unset` takes away. Answers the same object when nothing changes. */
export function withProperties(properties: JsonObject, { set, setOnce, unset }: PropertyChange): JsonObject {
  const next = new Map(Object.entries(properties))
  let isChanged = false
  for (const [key, value] of Object.entries(setOnce)) {
    if (next.has(key) || Object.hasOwn(set, key)) continue
    next.set(key, value)
    isChanged = true
  }
  for (const [key, value] of Object.entries(set)) {
    if (next.has(key) && sameValue(next.get(key)!, value)) continue
    next.set(key, value)
    isChanged = true
  }
  for (const key of unset) isChanged = next.delete(key) || isChanged
  // Through entries, not by assignment: a property may be called `__proto__`.
  return isChanged ? Object.fromEntries(next) : properties
}

/**
 * Whether the person of the id that is given away may become one with the person of the id that stays (undefined: nobody
 * yet). `$identify` gives away anonymous ids only: signing in as somebody else on the same device must not join two users.
 * `$create_alias` may give away a known id, but not to another known person.
 */
export function mayMerge(given: Person, staying: Person | undefined, by: 'identify' | 'alias'): boolean {
  return !given.isIdentified || (by === 'alias' && staying?.isIdentified !== true)
}

/** One person of two: the winner's id and, where both have a property, the winner's value. */
export function mergePersons(loser: Person, winner: Person): Person {
  return {
    id: winner.id,
    properties: withProperties(winner.properties, { set: {}, setOnce: loser.properties, unset: [] }),
    createdAt: Math.min(loser.createdAt, winner.createdAt),
    isIdentified: loser.isIdentified || winner.isIdentified,
  }
}

function sameValue(one: JsonObject[string], other: JsonObject[string]): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
