import type { PersonMerge } from './change.ts'
import type { Person } from './person.ts'

/**
 * Whether one person may be merged into another.
 *
 * `$identify` merges only anonymous persons, so that two users who sign in on the same device stay separate.
 * `$create_alias` may also merge an identified person, but not into another identified person.
 *
 * @param winner the person that stays; undefined if its distinct id has no person yet.
 */
export const canMerge = (loser: Person, winner: Person | undefined, kind: PersonMerge['kind']): boolean =>
  !loser.isIdentified || (kind === 'alias' && winner?.isIdentified !== true)
