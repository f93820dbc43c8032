import type { Json } from '../wire/json.ts'
import { compileMembership } from './compile-cohort.ts'
import { compileLeaf } from './compile-leaf.ts'
import type { Filter } from './filter.ts'
import { isRecord, Malformed } from './malformed.ts'
import type { Findings, Scope } from './scope.ts'

/**
 * Compiles one filter of a condition group. Throws `Malformed`.
 *
 * @param groupType The type of the group that is looked at; undefined for persons.
 */
export const compileFilter = (
  given: Json,
  place: string,
  groupType: string | undefined,
  scope: Scope,
  findings: Findings,
): Filter => {
  if (!isRecord(given)) throw new Malformed(place, 'must be an object')
  return given['type'] === 'cohort'
    ? compileMembership(given, place, groupType, scope, findings).filter
    : compileLeaf(given, place, groupType, scope, findings)
}
