import type { FlagValue } from '../wire/decide.ts'
import { isRecord } from '../wire/json.ts'
import type { Json } from '../wire/json.ts'
import { compileFilter } from './compile-filter.ts'
import type { CompiledCondition } from './compiled-flag.ts'
import type { Conclude } from './conclude.ts'
import { every } from './filter.ts'
import { isAbsent, listAt, Malformed, numberAt } from './malformed.ts'
import { ownOf } from './own.ts'
import type { Findings, Scope, Site } from './scope.ts'

/** What a condition group takes over from its flag. */
export interface ConditionRules {
  readonly groupIndex: number | undefined
  readonly groupType: string | undefined
  readonly variants: readonly string[]
  readonly conclude: Conclude
  /** Where what is found about properties of this group type, or of persons, belongs. */
  readonly findingsOf: (groupType: string | undefined) => Findings
}

/** The name of a group type; undefined for an index that the definitions do not name. */
export const groupTypeAt = ({ groupTypes }: Scope, index: number): string | undefined => {
  const type = ownOf(groupTypes, String(index))
  return typeof type === 'string' && type !== '' ? type : undefined
}

/** Throws `Malformed`. */
export const compileCondition = (
  given: Json,
  index: number,
  scope: Scope,
  { groupIndex, groupType: flagGroupType, variants, conclude, findingsOf }: ConditionRules,
): CompiledCondition => {
  const place = `filters.groups[${index}]`
  if (!isRecord(given)) throw new Malformed(place, 'must be an object')
  const ownIndex = numberAt(given['aggregation_group_type_index'], `${place}.aggregation_group_type_index`)
  const isOther = ownIndex !== undefined && ownIndex !== groupIndex
  const otherType = isOther ? (groupTypeAt(scope, ownIndex) ?? null) : undefined
  const groupType = otherType ?? flagGroupType

  const percentage = numberAt(given['rollout_percentage'], `${place}.rollout_percentage`) ?? 100
  const override = given['variant']
  if (!isAbsent(override) && typeof override !== 'string')
    throw new Malformed(`${place}.variant`, 'must be the key of a variant')
  const named = variants.findIndex((key) => key === override)
  const site: Site = { scope, groupType, findings: findingsOf(groupType), depth: 0 }
  const filters = listAt(given['properties'], `${place}.properties`).map((filter, at) =>
    compileFilter(filter, `${place}.properties[${at}]`, site),
  )
  const values: readonly FlagValue[] = [...variants, true]
  return {
    groupType: otherType,
    filter: filters.length > 0 ? every(filters) : undefined,
    rollout: percentage >= 100 ? undefined : percentage / 100,
    matches: values.map((value) => conclude(value, 'condition_match', index, true)),
    fixed: named >= 0 ? named : variants.length === 0 ? 0 : undefined,
    excluded: conclude(false, 'out_of_rollout_bound', index, false),
    noGroup: conclude(false, 'no_group_type', index),
  }
}
