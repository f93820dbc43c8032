import { isRecord } from '../wire/json.ts'
import type { Json } from '../wire/json.ts'
import { compileMembership } from './compile-cohort.ts'
import { compileLeaf } from './compile-leaf.ts'
import type { Filter } from './compiled-flag.ts'
import { Malformed } from './malformed.ts'
import type { Site } from './scope.ts'

/** Compiles one filter of a condition group. Throws `Malformed`. */
export const compileFilter = (given: Json, place: string, site: Site): Filter => {
  if (!isRecord(given)) throw new Malformed(place, 'must be an object')
  return given['type'] === 'cohort' ? compileMembership(given, place, site).filter : compileLeaf(given, place, site)
}
