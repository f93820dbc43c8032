import type { FlagValue } from '../wire/decide.ts'
import { isNonEmptyString } from '../wire/is-non-empty-string.ts'
import { isRecord } from '../wire/json.ts'
import type { Json } from '../wire/json.ts'
import { compileFilter } from './compile-filter.ts'
import type { CompiledCondition } from './compiled-flag.ts'
import type { CreateConclusive } from './conclusive-factory.ts'
import { every } from './filter-combinators.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import { getOwn } from './own-property.ts'
import { isAbsentOrNull, readArray, readNumber } from './read-value.ts'
import type { FilterScope, Findings, SharedScope } from './scope.ts'
import { COMPARISON_WORK } from './work-budget.ts'

/** What a condition group inherits from its flag. */
export interface ConditionDefaults {
  readonly groupIndex: number | undefined
  readonly groupType: string | undefined
  readonly variants: readonly string[]
  readonly createConclusive: CreateConclusive
  /** Returns the findings to which filters of this group type add theirs; undefined stands for persons. */
  readonly findingsFor: (groupType: string | undefined) => Findings
}

/** Returns the name of a group type; undefined for an index that the definitions do not name. */
export const getGroupType = ({ groupTypes }: SharedScope, index: number): string | undefined => {
  const type = getOwn(groupTypes, String(index))
  return isNonEmptyString(type) ? type : undefined
}

/** Compiles one condition group of a flag. Throws `MalformedDefinitionError`. */
export const compileCondition = (
  input: Json,
  index: number,
  sharedScope: SharedScope,
  { groupIndex, groupType: flagGroupType, variants, createConclusive, findingsFor }: ConditionDefaults,
): CompiledCondition => {
  const path = `filters.groups[${index}]`
  if (!isRecord(input)) throw new MalformedDefinitionError(path, 'must be an object')
  const ownIndex = readNumber(input['aggregation_group_type_index'], `${path}.aggregation_group_type_index`)
  const hasOwnType = ownIndex !== undefined && ownIndex !== groupIndex
  const ownType = hasOwnType ? (getGroupType(sharedScope, ownIndex) ?? null) : undefined
  const groupType = ownType ?? flagGroupType

  const percentage = readNumber(input['rollout_percentage'], `${path}.rollout_percentage`) ?? 100
  const override = input['variant']
  if (!isAbsentOrNull(override) && typeof override !== 'string')
    throw new MalformedDefinitionError(`${path}.variant`, 'must be the key of a variant')
  const overrideIndex = variants.findIndex((key) => key === override)
  const scope: FilterScope = { sharedScope, groupType, findings: findingsFor(groupType), depth: 0 }
  const comparisonsBefore = scope.findings.comparisons
  const filters = readArray(input['properties'], `${path}.properties`).map((filter, filterIndex) =>
    compileFilter(filter, `${path}.properties[${filterIndex}]`, scope),
  )
  const comparisons = scope.findings.comparisons - comparisonsBefore
  const values: readonly FlagValue[] = [...variants, true]
  return {
    groupType: ownType,
    filter: filters.length > 0 ? every(filters) : undefined,
    work: comparisons * COMPARISON_WORK,
    rollout: percentage >= 100 ? undefined : percentage / 100,
    matchResults: values.map((value) => createConclusive(value, 'condition_match', index, true)),
    fixedIndex: overrideIndex >= 0 ? overrideIndex : variants.length === 0 ? 0 : undefined,
    excludedResult: createConclusive(false, 'out_of_rollout_bound', index, false),
    noGroupResult: createConclusive(false, 'no_group_type', index),
  }
}
