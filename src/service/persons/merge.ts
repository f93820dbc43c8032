import type { Person } from './person.ts'

/**
 * Whether the person of the id that is given away may become one with the person of the id that stays (undefined: nobody
 * yet). `$identify` gives away anonymous ids only: signing in as somebody else on the same device must not join two users.
 * `$create_alias` may give away a known id, but not to another known person.
 */
export const mayMerge = (given: Person, staying: Person | undefined, by: 'identify' | 'alias'): boolean =>
  !given.isIdentified || (by === 'alias' && staying?.isIdentified !== true)
