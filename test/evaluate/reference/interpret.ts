import { createHash } from 'node:crypto'
import type {
  CohortDefinition,
  ConditionGroup,
  FlagDefinition,
  FlagDefinitions,
  PropertyFilter,
} from '../../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { NO_DEVIATIONS } from './deviation.ts'
import type { Deviations } from './deviation.ts'
import { getChain, getCohort, hasMissingDependency, isChainBroken, getOwn } from './dependencies.ts'
import { isUnsupported, matches } from './matches.ts'
import { combineUnknown } from './unknown.ts'
import type { Unknown } from './unknown.ts'
import { selectFirstDecision, every, everyInOrder, not, some } from './filter-result.ts'
import type { FilterResult } from './filter-result.ts'

/**
 * The person for whom the reference implementation evaluates a flag. Tests compare `src/evaluate` with this implementation.
 * To keep each rule simple, it interprets definitions without compiling them, caches only dependencies, and hashes with hex digits.
 */
export interface Subject {
  readonly distinctId: string
  readonly deviceId?: string | undefined
  readonly anonDistinctId?: string | undefined
  readonly groups: Readonly<Record<string, string>>
  readonly personProperties: JsonObject
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** True for the service, which knows all properties; false for a local evaluator, which knows only the given ones. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The result of a flag. It is inconclusive when `value` is undefined. */
export interface ReferenceEvaluation {
  readonly value: boolean | string | undefined
  readonly variant?: string | undefined
  readonly payload?: Json | undefined
  readonly payloadText?: string | undefined
  readonly reason: string
  readonly conditionIndex?: number | undefined
  readonly inRollout?: boolean | undefined
  /** Whether only the service can decide. */
  readonly requiresServer?: boolean | undefined
  /** Whether a reason is a regular expression that is not evaluated here. */
  readonly blocks?: boolean | undefined
}

/** The state of one evaluation, with the results of dependencies so far. */
interface InterpreterState {
  readonly definitions: FlagDefinitions
  readonly subject: Subject
  readonly deviations: Deviations
  readonly evaluations: Map<string, ReferenceEvaluation>
}

/** The id that is hashed and the properties that are read. */
interface Target {
  readonly id: string
  readonly properties: JsonObject
}

/** Evaluates one flag by the rules, except for the given deviations. */
export const interpret = (
  definitions: FlagDefinitions,
  key: string,
  subject: Subject,
  deviations: Deviations = NO_DEVIATIONS,
): ReferenceEvaluation => {
  const flag = definitions.flags.find((flag) => flag.key === key)
  if (!flag) throw new Error(`No flag "${key}"`)
  return evaluateFlag({ definitions, subject, deviations, evaluations: new Map() }, flag)
}

const hash = (prefix: string, id: string, salt: string): number => {
  const digits = createHash('sha1')
    .update(prefix + id + salt, 'utf8')
    .digest('hex')
    .slice(0, 15)
  return parseInt(digits, 16) / Number(`0x${'f'.repeat(15)}`)
}

const evaluateFlag = (state: InterpreterState, flag: FlagDefinition): ReferenceEvaluation => {
  const { subject, definitions } = state
  if (!flag.active) return { value: false, reason: 'flag_disabled' }
  if (subject.complete && hasMissingDependency(state.definitions, flag))
    return { value: false, reason: 'missing_dependency' }
  if (flag.ensure_experience_continuity && !subject.complete)
    return { value: undefined, reason: 'experience_continuity' }

  const { filters } = flag
  const groupTypeIndex = filters.aggregation_group_type_index ?? undefined
  let target: Target
  let isDeviceMissing = false
  if (groupTypeIndex !== undefined) {
    const groupType = definitions.group_type_mapping?.[String(groupTypeIndex)]
    if (groupType === undefined && !subject.complete) return { value: undefined, reason: 'unsupported_definition' }
    const group = groupType === undefined ? undefined : createGroupTarget(subject, groupType)
    if (!group) return { value: false, reason: 'no_group_type' }
    target = group
  } else {
    const properties: JsonObject = { distinct_id: subject.distinctId, ...subject.personProperties }
    const isBucketedByDevice =
      flag.bucketing_identifier === 'device_id' ||
      (filters.bucketing_identifier === 'device_id' && !state.deviations.has('filters.bucketing_identifier is ignored'))
    const continuedId = flag.ensure_experience_continuity && !isBucketedByDevice ? subject.anonDistinctId : undefined
    target = { id: continuedId ?? subject.distinctId, properties }
    if (isBucketedByDevice) {
      const deviceId = subject.deviceId ?? properties['$device_id']
      if (typeof deviceId === 'string' && deviceId !== '') target = { id: deviceId, properties }
      else if (subject.complete) isDeviceMissing = true
      else {
        const isUnsupportedFlag = flag.filters.groups.some((group) =>
          group.properties?.some((part) => isUnsupportedPart(state, part)),
        )
        return { value: undefined, reason: isUnsupportedFlag ? 'unsupported_definition' : 'missing_context' }
      }
    }
  }

  const enrolment = subject.personProperties[`$feature_enrollment/${flag.key}`]
  if (filters.feature_enrollment && !state.deviations.has('enrolment is ignored')) {
    const isEnrolled = enrolment === true || (typeof enrolment === 'string' && enrolment.toLowerCase() === 'true')
    if (enrolment !== undefined) return createResult(flag, isEnrolled, 'super_condition_value')
    if (!subject.complete) return { value: undefined, reason: 'missing_context' }
  }
  const holdoutVariant = evaluateHoldout(filters.holdout, target.id)
  if (holdoutVariant !== undefined) return createResult(flag, holdoutVariant, 'holdout_condition_value')
  return evaluateConditions(state, flag, target, isDeviceMissing)
}

/** The key and properties of the subject's group of a type; undefined when it has none. */
const createGroupTarget = (subject: Subject, groupType: string): Target | undefined =>
  Object.hasOwn(subject.groups, groupType)
    ? {
        id: subject.groups[groupType]!,
        properties: { $group_key: subject.groups[groupType]!, ...subject.groupProperties[groupType] },
      }
    : undefined

const evaluateHoldout = (holdout: FlagDefinition['filters']['holdout'], id: string): string | undefined => {
  if (!holdout || holdout.id === null || holdout.id === undefined) return undefined
  const input = holdout.exclusion_percentage as unknown
  const percentage = input === null || input === undefined ? NaN : Number(input)
  if (!Number.isFinite(percentage)) return undefined
  const share = Math.min(Math.max(percentage, 0), 100) / 100
  return hash('holdout-', id, '') <= share ? `holdout-${holdout.id}` : undefined
}

/** Tests the condition groups in written order. The first match decides, unless an earlier unknown group blocks it. */
const evaluateConditions = (
  state: InterpreterState,
  flag: FlagDefinition,
  flagTarget: Target,
  isDeviceMissing: boolean,
): ReferenceEvaluation => {
  const { subject, definitions } = state
  const { filters } = flag
  let unknown: Unknown | undefined
  /** Values of groups whose result is unknown because of a regular expression. A match must have the same value. */
  const blockingValues: (boolean | string)[] = []
  let match: ReferenceEvaluation | undefined
  /** Index of the last condition group whose rollout excludes the subject. */
  let excludedIndex: number | undefined
  /** Index of the first condition group for a group type of which the subject has no group. */
  let missingGroupIndex: number | undefined

  for (const [conditionIndex, group] of filters.groups.entries()) {
    let target: Target | undefined = flagTarget
    const groupTypeIndex = group.aggregation_group_type_index ?? undefined
    const hasOwnTarget =
      groupTypeIndex !== undefined && groupTypeIndex !== (filters.aggregation_group_type_index ?? undefined)
    if (hasOwnTarget) {
      const groupType = definitions.group_type_mapping?.[String(groupTypeIndex)]
      target = groupType === undefined ? undefined : createGroupTarget(subject, groupType)
      if (!target) {
        missingGroupIndex ??= conditionIndex
        continue
      }
    }
    const results = (group.properties ?? []).map((filter) => evaluateFilter(state, filter, target))
    const result = countsStaticInOrder(state, results) ? everyInOrder(results) : every(results)
    if (result === false) continue
    const share = group.rollout_percentage ?? 100
    const needsHash = share < 100 || !(hasVariantOverride(flag, group) || isHashIrrelevant(flag))
    const isIncluded =
      isDeviceMissing && !hasOwnTarget
        ? !needsHash
        : share === 100 || hash(`${flag.key}.`, target.id, '') <= share / 100
    const value = isIncluded ? getVariant(flag, group, target.id) : false
    if (result === true) {
      if (isIncluded) {
        match = createResult(flag, value, 'condition_match', conditionIndex, true)
        break
      }
      excludedIndex = conditionIndex
      if (!filters.early_exit) continue
      if (!unknown) return createResult(flag, false, 'out_of_rollout_bound', conditionIndex, false)
      break
    }
    unknown = combineUnknown(unknown, result)
    if (result.requiresServer) {
      return { value: undefined, reason: unknown.reason, requiresServer: true, blocks: unknown.blocks }
    }
    if (!result.blocks) continue
    if (isIncluded || filters.early_exit) blockingValues.push(value)
    else if (state.deviations.has('the rollout is checked last'))
      blockingValues.push(getVariant(flag, group, target.id))
  }

  if (match && blockingValues.every((value) => value === match.value)) return match
  if (unknown) return { value: undefined, reason: unknown.reason, blocks: unknown.blocks }
  if (excludedIndex !== undefined) return createResult(flag, false, 'out_of_rollout_bound', excludedIndex, false)
  if (missingGroupIndex !== undefined)
    return { value: false, reason: 'no_group_type', conditionIndex: missingGroupIndex }
  return { value: false, reason: 'no_condition_match' }
}

const getVariants = (flag: FlagDefinition): NonNullable<FlagDefinition['filters']['multivariate']>['variants'] =>
  flag.filters.multivariate?.variants ?? []

const hasVariantOverride = (flag: FlagDefinition, group: ConditionGroup): boolean =>
  Boolean(group.variant) && getVariants(flag).some(({ key }) => key === group.variant)

/** Whether everyone gets the same value whatever the hash: there are no variants, or the first with a share has the full share. */
const isHashIrrelevant = (flag: FlagDefinition): boolean =>
  (getVariants(flag).find((variant) => variant.rollout_percentage > 0)?.rollout_percentage ?? 100) >= 100

const getVariant = (flag: FlagDefinition, group: ConditionGroup, id: string): string | true => {
  if (hasVariantOverride(flag, group)) return group.variant!
  const position = hash(`${flag.key}.`, id, 'variant')
  let bound = 0
  for (const { key, rollout_percentage } of getVariants(flag)) {
    bound += rollout_percentage / 100
    if (position < bound) return key
  }
  return true
}

const createResult = (
  flag: FlagDefinition,
  value: boolean | string,
  reason: string,
  conditionIndex?: number,
  inRollout?: boolean,
): ReferenceEvaluation => {
  const raw = value === false ? undefined : getOwn(flag.filters.payloads ?? {}, String(value))
  const variant = typeof value === 'string' ? value : undefined
  const payload = raw
    ? { payload: parsePayload(raw), payloadText: typeof raw === 'string' ? raw : JSON.stringify(raw) }
    : {}
  return { value, variant, ...payload, reason, conditionIndex, inRollout }
}

const parsePayload = (raw: Json): Json => {
  if (typeof raw !== 'string') return raw
  try {
    return JSON.parse(raw) as Json
  } catch {
    return raw
  }
}

const evaluateFilter = (state: InterpreterState, filter: PropertyFilter, target: Target): FilterResult => {
  if (filter.type === 'cohort') return evaluateCohortFilter(state, filter, target)
  if (filter.type === 'flag') return evaluateDependency(state, filter)
  const { subject, definitions, deviations } = state
  const { complete, now } = subject
  const version = definitions.property_matching_version ?? undefined
  return matches(filter, target.properties, { complete, now, version, deviations })
}

const evaluateCohortFilter = (state: InterpreterState, filter: PropertyFilter, target: Target): FilterResult => {
  const cohort = getCohort(state.definitions, filter.value)
  // A cohort that is not in the definitions is static: only the service knows its members.
  if (!cohort) return { reason: 'unsupported_definition', requiresServer: true }
  const isMember = evaluateCohort(state, cohort, target)
  return filter.operator === 'not_in' ? not(isMember) : isMember
}

/** Whether a local evaluator can never evaluate a filter or cohort, whatever the properties. */
const isUnsupportedPart = (state: InterpreterState, part: CohortDefinition | PropertyFilter): boolean => {
  const { definitions } = state
  if (!isFilter(part)) return 'values' in part && part.values.some((value) => isUnsupportedPart(state, value))
  if (part.type === 'cohort') {
    const cohort = getCohort(definitions, part.value)
    return !cohort || isUnsupportedPart(state, cohort)
  }
  if (part.type !== 'flag') return isUnsupported(part, definitions.property_matching_version)
  return isChainBroken(definitions, part) || hasNoChain(state, part)
}

const evaluateCohort = (state: InterpreterState, cohort: CohortDefinition, target: Target): FilterResult => {
  if (!('type' in cohort)) return true
  const hasNestedFirst = cohort.values.length > 0 && 'values' in cohort.values[0]!
  const isMixed = cohort.values.some((value) => isFilter(value) === hasNestedFirst)
  const deviation = cohort.values.some(isFilter)
    ? 'a cohort is all cohorts or all conditions'
    : 'an empty cohort in a cohort is a condition'
  const rejectsMix = isMixed && state.deviations.has(deviation)
  const results = cohort.values.map((value): FilterResult => {
    if (rejectsMix && hasNestedFirst && isFilter(value))
      return { reason: 'unsupported_definition', requiresServer: true }
    if (rejectsMix && !hasNestedFirst && !isFilter(value)) return { reason: 'unsupported_definition' }
    if (!isFilter(value)) return evaluateCohort(state, value, target)
    const result = evaluateFilter(state, value, target)
    return value.negation ? not(result) : result
  })
  const isOr = cohort.type === 'OR'
  const decidingResults = countsStaticInOrder(state, results) ? selectFirstDecision(results, isOr) : results
  return isOr ? some(decidingResults) : every(decidingResults)
}

const countsStaticInOrder = ({ deviations }: InterpreterState, results: readonly FilterResult[]): boolean =>
  results.some((result) => typeof result === 'object' && result.requiresServer) &&
  deviations.has('a static cohort counts in written order')

const isFilter = (part: CohortDefinition | PropertyFilter): part is PropertyFilter => 'key' in part

/** Whether a chain is missing where it is needed. */
const hasNoChain = ({ deviations }: InterpreterState, filter: PropertyFilter): boolean =>
  !filter.dependency_chain && deviations.has('a dependency needs its chain')

const evaluateDependency = (state: InterpreterState, filter: PropertyFilter): FilterResult => {
  const { evaluations, definitions, subject } = state
  if (hasNoChain(state, filter)) return { reason: 'unsupported_definition' }
  const chain = getChain(definitions, filter)
  // In the service a flag with a missing dependency is off, and its dependants read that value.
  if (chain.length === 0 || (!subject.complete && isChainBroken(definitions, filter)))
    return { reason: 'unsupported_definition' }
  for (const key of chain) {
    const flag = definitions.flags.find((flag) => flag.key === key)
    if (!flag) continue
    if (!evaluations.has(flag.key)) evaluations.set(flag.key, evaluateFlag(state, flag))
    const { value, requiresServer, blocks } = evaluations.get(flag.key)!
    if (value === undefined) return { reason: 'unresolved_dependency', requiresServer, blocks }
  }
  const value = evaluations.get(filter.key)!.value
  if (typeof filter.value === 'boolean') return filter.value === (value !== false)
  return filter.value === value
}
