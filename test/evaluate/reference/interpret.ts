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
import { getCohort, hasMissingDependency, isChainBroken, getOwn } from './dependencies.ts'
import { isUnsupported, matches } from './matches.ts'
import { combineUnknown } from './unknown.ts'
import type { Unknown } from './unknown.ts'
import { upToDecision, every, everyInOrder, not, some } from './filter-result.ts'
import type { FilterResult } from './filter-result.ts'

/**
 * For whom the reference implementation evaluates a flag. Tests compare `src/evaluate` with this implementation. It interprets
 * definitions without compiling them, caches only dependencies, and hashes with hex digits, so that each rule stays simple.
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

/** The result of a flag: inconclusive when `value` is undefined. */
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
  /** Whether the reasons include a regular expression that is not evaluated here. */
  readonly regex?: boolean | undefined
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

/** Evaluates one flag; without deviations, by the rules. */
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
  const index = filters.aggregation_group_type_index ?? undefined
  let target: Target
  let deviceMissing = false
  if (index !== undefined) {
    const type = definitions.group_type_mapping?.[String(index)]
    if (type === undefined && !subject.complete) return { value: undefined, reason: 'unsupported_definition' }
    const group = type === undefined ? undefined : createGroupTarget(subject, type)
    if (!group) return { value: false, reason: 'no_group_type' }
    target = group
  } else {
    const properties: JsonObject = { distinct_id: subject.distinctId, ...subject.personProperties }
    const byDevice = flag.bucketing_identifier === 'device_id'
    const continued = flag.ensure_experience_continuity && !byDevice ? subject.anonDistinctId : undefined
    target = { id: continued ?? subject.distinctId, properties }
    if (byDevice) {
      const device = subject.deviceId ?? properties['$device_id']
      if (typeof device === 'string' && device !== '') target = { id: device, properties }
      else if (subject.complete) deviceMissing = true
      else {
        const isUnsupportedFlag = flag.filters.groups.some((group) =>
          group.properties?.some((part) => isUnsupportedPart(state, part)),
        )
        return { value: undefined, reason: isUnsupportedFlag ? 'unsupported_definition' : 'missing_context' }
      }
    }
  }

  const enrolled = subject.personProperties[`$feature_enrollment/${flag.key}`]
  if (filters.feature_enrollment && !state.deviations.has('enrolment is ignored')) {
    const isOn = enrolled === true || (typeof enrolled === 'string' && enrolled.toLowerCase() === 'true')
    if (enrolled !== undefined) return createResult(flag, isOn, 'super_condition_value')
    if (!subject.complete) return { value: undefined, reason: 'missing_context' }
  }
  const holdoutVariant = evaluateHoldout(filters.holdout, target.id)
  if (holdoutVariant !== undefined) return createResult(flag, holdoutVariant, 'holdout_condition_value')
  return evaluateConditions(state, flag, target, deviceMissing)
}

/** A group of the subject, with its given properties and its key. */
const createGroupTarget = (subject: Subject, type: string): Target | undefined =>
  Object.hasOwn(subject.groups, type)
    ? {
        id: subject.groups[type]!,
        properties: { $group_key: subject.groups[type]!, ...subject.groupProperties[type] },
      }
    : undefined

const evaluateHoldout = (holdout: FlagDefinition['filters']['holdout'], id: string): string | undefined => {
  if (!holdout || holdout.id === null || holdout.id === undefined) return undefined
  const raw = holdout.exclusion_percentage as unknown
  const percentage = raw === null || raw === undefined ? NaN : Number(raw)
  if (!Number.isFinite(percentage)) return undefined
  const share = Math.min(Math.max(percentage, 0), 100) / 100
  return hash('holdout-', id, '') <= share ? `holdout-${holdout.id}` : undefined
}

/** Tries groups in written order. The first match decides, unless an earlier unknown group blocks it. */
const evaluateConditions = (
  state: InterpreterState,
  flag: FlagDefinition,
  flagTarget: Target,
  deviceMissing: boolean,
): ReferenceEvaluation => {
  const { subject, definitions } = state
  const { filters } = flag
  let unknown: Unknown | undefined
  /** Values of groups that only a regular expression leaves unknown. */
  const blockedValues: (boolean | string)[] = []
  let match: ReferenceEvaluation | undefined
  /** Index of the last group whose rollout excludes the subject, and of the first whose group is missing. */
  let excludedIndex: number | undefined
  let missingGroupIndex: number | undefined

  for (const [conditionIndex, group] of filters.groups.entries()) {
    let target: Target | undefined = flagTarget
    const index = group.aggregation_group_type_index ?? undefined
    const ownTarget = index !== undefined && index !== (filters.aggregation_group_type_index ?? undefined)
    if (ownTarget) {
      const type = definitions.group_type_mapping?.[String(index)]
      target = type === undefined ? undefined : createGroupTarget(subject, type)
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
    const inside =
      deviceMissing && !ownTarget ? !needsHash : share === 100 || hash(`${flag.key}.`, target.id, '') <= share / 100
    const value = inside ? getVariant(flag, group, target.id) : false
    if (result === true) {
      if (inside) {
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
      return { value: undefined, reason: unknown.reason, requiresServer: true, regex: unknown.regex }
    }
    if (!result.regex) continue
    if (inside || filters.early_exit) blockedValues.push(value)
    else if (state.deviations.has('the rollout is checked last')) blockedValues.push(getVariant(flag, group, target.id))
  }

  if (match && blockedValues.every((value) => value === match.value)) return match
  if (unknown) return { value: undefined, reason: unknown.reason, regex: unknown.regex }
  if (excludedIndex !== undefined) return createResult(flag, false, 'out_of_rollout_bound', excludedIndex, false)
  if (missingGroupIndex !== undefined)
    return { value: false, reason: 'no_group_type', conditionIndex: missingGroupIndex }
  return { value: false, reason: 'no_condition_match' }
}

const variants = (flag: FlagDefinition): NonNullable<FlagDefinition['filters']['multivariate']>['variants'] =>
  flag.filters.multivariate?.variants ?? []

const hasVariantOverride = (flag: FlagDefinition, group: ConditionGroup): boolean =>
  Boolean(group.variant) && variants(flag).some(({ key }) => key === group.variant)

/** Whether everyone gets the same value whatever the hash: no variants, or one with the full share. */
const isHashIrrelevant = (flag: FlagDefinition): boolean =>
  (variants(flag).find((variant) => variant.rollout_percentage > 0)?.rollout_percentage ?? 100) >= 100

const getVariant = (flag: FlagDefinition, group: ConditionGroup, id: string): string | true => {
  if (hasVariantOverride(flag, group)) return group.variant!
  const position = hash(`${flag.key}.`, id, 'variant')
  let bound = 0
  for (const { key, rollout_percentage } of variants(flag)) {
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
  // Not in the definitions: a static cohort, which only the service knows.
  if (!cohort) return { reason: 'unsupported_definition', requiresServer: true }
  const inside = evaluateCohort(state, cohort, target)
  return filter.operator === 'not_in' ? not(inside) : inside
}

/** Whether a local evaluator can never evaluate a filter or a part of a cohort. */
const isUnsupportedPart = (state: InterpreterState, part: CohortDefinition | PropertyFilter): boolean => {
  const { definitions } = state
  if (!isFilter(part)) return 'values' in part && part.values.some((value) => isUnsupportedPart(state, value))
  if (part.type === 'cohort') {
    const cohort = getCohort(definitions, part.value)
    return !cohort || isUnsupportedPart(state, cohort)
  }
  if (part.type !== 'flag') return isUnsupported(part, definitions.property_matching_version)
  return isChainBroken(definitions, part)
}

const evaluateCohort = (state: InterpreterState, cohort: CohortDefinition, target: Target): FilterResult => {
  if (!('type' in cohort)) return true
  const nested = cohort.values.length > 0 && 'values' in cohort.values[0]!
  const isMixed = cohort.values.some((value) => isFilter(value) === nested)
  const unmixed = isMixed && state.deviations.has('a cohort is all cohorts or all conditions')
  const results = cohort.values.map((value): FilterResult => {
    if (unmixed && nested && isFilter(value)) return { reason: 'unsupported_definition', requiresServer: true }
    if (unmixed && !nested && !isFilter(value)) return { reason: 'unsupported_definition' }
    if (!isFilter(value)) return evaluateCohort(state, value, target)
    const result = evaluateFilter(state, value, target)
    return value.negation ? not(result) : result
  })
  const isOr = cohort.type === 'OR'
  const decidingResults = countsStaticInOrder(state, results) ? upToDecision(results, isOr) : results
  return isOr ? some(decidingResults) : every(decidingResults)
}

const countsStaticInOrder = ({ deviations }: InterpreterState, results: readonly FilterResult[]): boolean =>
  results.some((result) => typeof result === 'object' && result.requiresServer) &&
  deviations.has('a static cohort counts in written order')

const isFilter = (part: CohortDefinition | PropertyFilter): part is PropertyFilter => 'key' in part

const evaluateDependency = (state: InterpreterState, filter: PropertyFilter): FilterResult => {
  const { evaluations, definitions, subject } = state
  const chain = filter.dependency_chain ?? []
  // In the service a flag with a missing dependency is off, and its dependants see that.
  if (chain.length === 0 || (!subject.complete && isChainBroken(definitions, filter)))
    return { reason: 'unsupported_definition' }
  for (const key of chain) {
    const flag = definitions.flags.find((flag) => flag.key === key)
    if (!flag) continue
    if (!evaluations.has(flag.key)) evaluations.set(flag.key, evaluateFlag(state, flag))
    const { value, requiresServer, regex } = evaluations.get(flag.key)!
    if (value === undefined) return { reason: 'unresolved_dependency', requiresServer, regex }
  }
  const value = evaluations.get(filter.key)!.value
  if (typeof filter.value === 'boolean') return filter.value === (value !== false)
  return filter.value === value
}
