import type { FlagValue } from '../wire/decide.ts'
import type { ConditionGroup, FlagDefinition, Variant } from '../wire/definition.ts'
import type { Json } from '../wire/json.ts'
import { compileFilter, type Filter } from './compile-filter.ts'
import type { Conclusive, Inconclusive, ReasonCode } from './evaluation.ts'
import type { MatchingRules } from './operators/operator.ts'

/** A definition with everything resolved that does not depend on whom it is evaluated for, answers included. */
export interface CompiledFlag {
  readonly key: string
  /** What the key stands as in the hash. */
  readonly prefix: string
  readonly active: boolean
  readonly continuity: boolean
  readonly byDevice: boolean
  /** The group type that is bucketed; undefined for persons. */
  readonly groupType: string | undefined
  /** Set when the definition cannot be run here. */
  readonly unsupported: Inconclusive | undefined
  readonly conditions: readonly CompiledCondition[]
  /** Upper bounds of the variants, adding up; in order. */
  readonly bounds: readonly number[]
  /** The answers for somebody whom no condition takes. */
  readonly off: Readonly<Record<'flag_disabled' | 'no_condition_match' | 'no_group_type', Conclusive>>
}

export interface CompiledCondition {
  readonly filters: readonly Filter[]
  /** Largest bucket that is in; undefined means everybody, without a hash. */
  readonly rollout: number | undefined
  /** Answers of the variants, then the one without a variant. */
  readonly matches: readonly Conclusive[]
  /** Index into `matches` that holds whatever the hash. */
  readonly fixed: number | undefined
  readonly excluded: Conclusive
}

/** What stands beside the flags in a set of definitions. */
export interface CompileOptions extends MatchingRules {
  /** Group type index, as text, to group type. */
  readonly groupTypes?: Readonly<Record<string, string>> | undefined
}

/** Parts of definitions that change a flag's value and are not evaluated here: running such a flag without them would be wrong. */
const UNSUPPORTED_FILTERS = ['holdout', 'early_exit', 'feature_enrollment'] as const

const parsed = (raw: Json): Json => {
  if (typeof raw !== 'string') return raw
  try {
    const value: Json = JSON.parse(raw)
    return value
  } catch {
    return raw
  }
}

const conclude = (
  definition: FlagDefinition,
  value: FlagValue,
  reason: ReasonCode,
  conditionIndex: number | undefined,
  inRollout: boolean | undefined,
): Conclusive => {
  const payloads = definition.filters.payloads ?? {}
  const name = String(value)
  const raw = value !== false && Object.prototype.hasOwnProperty.call(payloads, name) ? payloads[name] : undefined
  // An empty text, 0 and false stand for no payload.
  const payload = raw || undefined
  return {
    value,
    variant: typeof value === 'string' ? value : undefined,
    payload: payload === undefined ? undefined : parsed(payload),
    payloadText: payload === undefined || typeof payload === 'string' ? payload : JSON.stringify(payload),
    reason,
    conditionIndex,
    inRollout,
  }
}

/** Never throws for a definition of the right shape; what cannot be run becomes `unsupported`. */
export const compileFlag = (definition: FlagDefinition, options: CompileOptions = {}): CompiledFlag => {
  const { key, filters } = definition
  const problems: string[] = []
  const given = filters as unknown as Readonly<Record<string, Json | undefined>>
  for (const name of UNSUPPORTED_FILTERS) if (given[name]) problems.push(`"${name}" is not supported`)

  const variants: readonly Variant[] = filters.multivariate?.variants ?? []
  const values: readonly FlagValue[] = [...variants.map((variant) => variant.key), true]
  let sum = 0
  const bounds = variants.map((variant) => (sum += variant.rollout_percentage / 100))

  const groupIndex = filters.aggregation_group_type_index ?? undefined
  const groupType = groupIndex === undefined ? undefined : options.groupTypes?.[String(groupIndex)]

  const conditions = filters.groups.map((group: ConditionGroup, index): CompiledCondition => {
    const own = group.aggregation_group_type_index
    if (own !== undefined && own !== null && own !== groupIndex)
      problems.push('a group type of a condition is not supported')
    const compiled: Filter[] = []
    for (const filter of group.properties ?? []) {
      const made = compileFilter(filter, options)
      if (typeof made === 'string') problems.push(made)
      else compiled.push(made)
    }
    const percentage = group.rollout_percentage ?? 100
    const named = variants.findIndex((variant) => variant.key === group.variant)
    return {
      filters: compiled,
      rollout: percentage >= 100 ? undefined : percentage / 100,
      matches: values.map((value) => conclude(definition, value, 'condition_match', index, true)),
      fixed: named >= 0 ? named : variants.length === 0 ? 0 : undefined,
      excluded: conclude(definition, false, 'out_of_rollout_bound', index, false),
    }
  })

  const off = (reason: ReasonCode): Conclusive => conclude(definition, false, reason, undefined, undefined)
  return {
    key,
    prefix: `${key}.`,
    active: definition.active,
    continuity: definition.ensure_experience_continuity === true,
    byDevice: definition.bucketing_identifier === 'device_id',
    groupType: groupIndex === undefined ? undefined : (groupType ?? ''),
    unsupported:
      problems.length > 0
        ? { value: undefined, reason: 'unsupported_definition', detail: problems.join('; ') }
        : undefined,
    conditions,
    bounds,
    off: {
      flag_disabled: off('flag_disabled'),
      no_condition_match: off('no_condition_match'),
      no_group_type: off('no_group_type'),
    },
  }
}
