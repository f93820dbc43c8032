import { idToString } from './id-to-string.ts'
import type { Id } from './id-to-string.ts'

/** Group type to group key, as callers pass it. A missing key leaves the group out. */
export type GroupKeys = Readonly<Record<string, Id | null | undefined>>

/** Converts group keys to strings. Leaves out a group without a usable key: `undefined` is not the name of a group. */
export const toGroupKeys = (input: unknown): Readonly<Record<string, string>> => {
  // Without a prototype: where it is frozen, a type named `constructor` could not be assigned.
  const groups = Object.create(null) as Record<string, string>
  if (typeof input === 'object' && input && !Array.isArray(input))
    for (const [type, key] of Object.entries(input)) {
      const groupKey = idToString(key)
      if (groupKey) groups[type] = groupKey
    }
  return groups
}
