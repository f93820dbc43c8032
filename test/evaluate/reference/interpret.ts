import { createHash } from 'node:crypto'
import type {
  CohortDefinition,
  ConditionGroup,
  FlagDefinition,
  FlagDefinitions,
  PropertyFilter,
} from '../../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { byTheRules } from './deviation.ts'
import type { Deviations } from './deviation.ts'
import { cohortOf, isBroken, isBrokenChain, own } from './linked.ts'
import { isUnsupported, matches } from './matches.ts'
import { worse } from './open.ts'
import type { Open } from './open.ts'
import { asFarAsMet, every, everyWhereMet, not, some } from './verdict.ts'
import type { Verdict } from './verdict.ts'

/**
 * The reference that `src/evaluate` is compared with: flag definitions read one at a time, nothing compiled, nothing cached
 * but what the protocol caches, the hash with hex digits. Slow on purpose; every rule is at the place where it is applied.
 */
export interface Subject {
  readonly distinctId: string
  readonly deviceId?: string | undefined
  readonly anonDistinctId?: string | undefined
  readonly groups: Readonly<Record<string, string>>
  readonly personProperties: JsonObject
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** True for the service, which knows all properties; false for a local evaluator, which knows those it was given. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What a flag is for somebody: conclusive unless `value` is undefined. */
export interface Answer {
  readonly value: boolean | string | undefined
  readonly variant?: string | undefined
  readonly payload?: Json | undefined
  readonly payloadText?: string | undefined
  readonly reason: string
  readonly conditionIndex?: number | undefined
  readonly inRollout?: boolean | undefined
  /** Whether the question that is open is one that only the service can answer. */
  readonly requiresServer?: boolean | undefined
  /** Whether a regular expression that is not run here is among the open questions. */
  readonly regex?: boolean | undefined
}

/** One evaluation: the definitions, the subject, and the flags answered so far (for dependencies). */
interface World {
  readonly definitions: FlagDefinitions
  readonly subject: Subject
  readonly deviations: Deviations
  readonly known: Map<string, Answer>
}

/** Whose key is hashed and whose properties are looked at. */
interface Target {
  readonly id: string
  readonly properties: JsonObject
}

/** The value of one flag; by the rules, unless deviations are named. */
export const interpret = (
  definitions: FlagDefinitions,
  key: string,
  subject: Subject,
  deviations: Deviations = byTheRules,
): Answer => {
  const flag = definitions.flags.find((one) => one.key === key)
  if (!flag) throw new Error(`No flag "${key}"`)
  return flagAnswer({ definitions, subject, deviations, known: new Map() }, flag)
}

const hash = (prefix: string, id: string, salt: string): number => {
  const digits = createHash('sha1')
    .update(prefix + id + salt, 'utf8')
    .digest('hex')
    .slice(0, 15)
  return parseInt(digits, 16) / Number(`0x${'f'.repeat(15)}`)
}

const flagAnswer = (world: World, flag: FlagDefinition): Answer => {
  const { subject, definitions } = world
  if (!flag.active) return { value: false, reason: 'flag_disabled' }
  if (subject.complete && isBroken(world.definitions, flag)) return { value: false, reason: 'missing_dependency' }
  if (flag.ensure_experience_continuity && !subject.complete)
    return { value: undefined, reason: 'experience_continuity' }

  const { filters } = flag
  const index = filters.aggregation_group_type_index ?? undefined
  let target: Target
  let deviceMissing = false
  if (index !== undefined) {
    const type = definitions.group_type_mapping?.[String(index)]
    if (type === undefined && !subject.complete) return { value: undefined, reason: 'unsupported_definition' }
    const group = type === undefined ? undefined : groupTarget(subject, type)
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
        const isFlawed = flag.filters.groups.some((group) =>
          group.properties?.some((part) => isUnrunnable(world, part)),
        )
        return { value: undefined, reason: isFlawed ? 'unsupported_definition' : 'missing_context' }
      }
    }
  }

  const enrolled = subject.personProperties[`$feature_enrollment/${flag.key}`]
  if (filters.feature_enrollment && !world.deviations.has('enrolment is not looked at')) {
    const isOn = enrolled === true || (typeof enrolled === 'string' && enrolled.toLowerCase() === 'true')
    if (enrolled !== undefined) return answer(flag, isOn, 'super_condition_value')
    if (!subject.complete) return { value: undefined, reason: 'missing_context' }
  }
  const heldOut = holdout(filters.holdout, target.id)
  if (heldOut !== undefined) return answer(flag, heldOut, 'holdout_condition_value')
  return conditionsAnswer(world, flag, target, deviceMissing)
}

/** A group the subject is in; its properties are known as far as they were given, and always its key. */
const groupTarget = (subject: Subject, type: string): Target | undefined =>
  Object.hasOwn(subject.groups, type)
    ? {
        id: subject.groups[type]!,
        properties: { $group_key: subject.groups[type]!, ...subject.groupProperties[type] },
      }
    : undefined

const holdout = (holdout: FlagDefinition['filters']['holdout'], id: string): string | undefined => {
  if (!holdout || holdout.id === null || holdout.id === undefined) return undefined
  const raw = holdout.exclusion_percentage as unknown
  const percentage = raw === null || raw === undefined ? NaN : Number(raw)
  if (!Number.isFinite(percentage)) return undefined
  const share = Math.min(Math.max(percentage, 0), 100) / 100
  return hash('holdout-', id, '') <= share ? `holdout-${holdout.id}` : undefined
}

/** Groups in written order; the first that matches decides, unless an open question before it stands in the way. */
const conditionsAnswer = (world: World, flag: FlagDefinition, flagTarget: Target, deviceMissing: boolean): Answer => {
  const { subject, definitions } = world
  const { filters } = flag
  let open: Open | undefined
  /** What groups would give whose only question is a regular expression that cannot be run here. */
  const unanswered: (boolean | string)[] = []
  let result: Answer | undefined
  /** The last group whose rollout keeps the subject out, and the first that is for a group it is not in. */
  let outside: number | undefined
  let groupless: number | undefined

  for (const [conditionIndex, group] of filters.groups.entries()) {
    let target: Target | undefined = flagTarget
    const index = group.aggregation_group_type_index ?? undefined
    const ownTarget = index !== undefined && index !== (filters.aggregation_group_type_index ?? undefined)
    if (ownTarget) {
      const type = definitions.group_type_mapping?.[String(index)]
      target = type === undefined ? undefined : groupTarget(subject, type)
      if (!target) {
        groupless ??= conditionIndex
        continue
      }
    }
    const verdicts = (group.properties ?? []).map((filter) => filterVerdict(world, filter, target))
    const verdict = staticWhereMet(world, verdicts) ? everyWhereMet(verdicts) : every(verdicts)
    if (verdict === false) continue
    const share = group.rollout_percentage ?? 100
    const needsHash = share < 100 || !(namesVariant(flag, group) || isUndivided(flag))
    const inside =
      deviceMissing && !ownTarget ? !needsHash : share === 100 || hash(`${flag.key}.`, target.id, '') <= share / 100
    const value = inside ? variantOf(flag, group, target.id) : false
    if (verdict === true) {
      if (inside) {
        result = answer(flag, value, 'condition_match', conditionIndex, true)
        break
      }
      outside = conditionIndex
      if (!filters.early_exit) continue
      if (!open) return answer(flag, false, 'out_of_rollout_bound', conditionIndex, false)
      break
    }
    open = worse(open, verdict)
    if (verdict.requiresServer) {
      return { value: undefined, reason: open.why, requiresServer: true, regex: open.regex }
    }
    if (!verdict.regex) continue
    if (inside || filters.early_exit) unanswered.push(value)
    else if (world.deviations.has('the rollout is asked last')) unanswered.push(variantOf(flag, group, target.id))
  }

  if (result && unanswered.every((value) => value === result.value)) return result
  if (open) return { value: undefined, reason: open.why, regex: open.regex }
  if (outside !== undefined) return answer(flag, false, 'out_of_rollout_bound', outside, false)
  if (groupless !== undefined) return { value: false, reason: 'no_group_type', conditionIndex: groupless }
  return { value: false, reason: 'no_condition_match' }
}

const variants = (flag: FlagDefinition): NonNullable<FlagDefinition['filters']['multivariate']>['variants'] =>
  flag.filters.multivariate?.variants ?? []

const namesVariant = (flag: FlagDefinition, group: ConditionGroup): boolean =>
  Boolean(group.variant) && variants(flag).some(({ key }) => key === group.variant)

/** Whether all get the same, whatever their hash: no variants, or one that takes everybody. */
const isUndivided = (flag: FlagDefinition): boolean =>
  (variants(flag).find((one) => one.rollout_percentage > 0)?.rollout_percentage ?? 100) >= 100

const variantOf = (flag: FlagDefinition, group: ConditionGroup, id: string): string | true => {
  if (namesVariant(flag, group)) return group.variant!
  const place = hash(`${flag.key}.`, id, 'variant')
  let edge = 0
  for (const { key, rollout_percentage } of variants(flag)) {
    edge += rollout_percentage / 100
    if (place < edge) return key
  }
  return true
}

const answer = (
  flag: FlagDefinition,
  value: boolean | string,
  reason: string,
  conditionIndex?: number,
  inRollout?: boolean,
): Answer => {
  const raw = value === false ? undefined : own(flag.filters.payloads ?? {}, String(value))
  const variant = typeof value === 'string' ? value : undefined
  const payload = raw ? { payload: parsed(raw), payloadText: typeof raw === 'string' ? raw : JSON.stringify(raw) } : {}
  return { value, variant, ...payload, reason, conditionIndex, inRollout }
}

const parsed = (raw: Json): Json => {
  if (typeof raw !== 'string') return raw
  try {
    return JSON.parse(raw) as Json
  } catch {
    return raw
  }
}

const filterVerdict = (world: World, filter: PropertyFilter, target: Target): Verdict => {
  if (filter.type === 'cohort') return cohortVerdict(world, filter, target)
  if (filter.type === 'flag') return dependencyVerdict(world, filter)
  const { subject, definitions, deviations } = world
  const { complete, now } = subject
  const version = definitions.property_matching_version ?? undefined
  return matches(filter, target.properties, { complete, now, version, deviations })
}

const cohortVerdict = (world: World, filter: PropertyFilter, target: Target): Verdict => {
  const cohort = cohortOf(world.definitions, filter.value)
  // Not in the feed: a static cohort, which only the service knows.
  if (!cohort) return { why: 'unsupported_definition', requiresServer: true }
  const inside = membership(world, cohort, target)
  return filter.operator === 'not_in' ? not(inside) : inside
}

/** Whether a local evaluator cannot run a filter, or a part of a cohort, whomever it is for. */
const isUnrunnable = (world: World, part: CohortDefinition | PropertyFilter): boolean => {
  const { definitions } = world
  if (!isFilter(part)) return 'values' in part && part.values.some((one) => isUnrunnable(world, one))
  if (part.type === 'cohort') {
    const cohort = cohortOf(definitions, part.value)
    return !cohort || isUnrunnable(world, cohort)
  }
  if (part.type !== 'flag') return isUnsupported(part, definitions.property_matching_version)
  return isBrokenChain(definitions, part)
}

const membership = (world: World, cohort: CohortDefinition, target: Target): Verdict => {
  if (!('type' in cohort)) return true
  const nested = cohort.values.length > 0 && 'values' in cohort.values[0]!
  const isMixed = cohort.values.some((value) => isFilter(value) === nested)
  const unmixed = isMixed && world.deviations.has('a cohort is all cohorts or all conditions')
  const verdicts = cohort.values.map((value): Verdict => {
    if (unmixed && nested && isFilter(value)) return { why: 'unsupported_definition', requiresServer: true }
    if (unmixed && !nested && !isFilter(value)) return { why: 'unsupported_definition' }
    if (!isFilter(value)) return membership(world, value, target)
    const verdict = filterVerdict(world, value, target)
    return value.negation ? not(verdict) : verdict
  })
  const anyOf = cohort.type === 'OR'
  const looked = staticWhereMet(world, verdicts) ? asFarAsMet(verdicts, anyOf) : verdicts
  return anyOf ? some(looked) : every(looked)
}

const staticWhereMet = ({ deviations }: World, verdicts: readonly Verdict[]): boolean =>
  verdicts.some((verdict) => typeof verdict === 'object' && verdict.requiresServer) &&
  deviations.has('a static cohort counts where it is met')

const isFilter = (part: CohortDefinition | PropertyFilter): part is PropertyFilter => 'key' in part

const dependencyVerdict = (world: World, filter: PropertyFilter): Verdict => {
  const { known, definitions, subject } = world
  const chain = filter.dependency_chain ?? []
  // In the service a flag that asks for a missing one is off: that is what its dependants see.
  if (chain.length === 0 || (!subject.complete && isBrokenChain(definitions, filter)))
    return { why: 'unsupported_definition' }
  for (const key of chain) {
    const flag = definitions.flags.find((one) => one.key === key)
    if (!flag) continue
    if (!known.has(flag.key)) known.set(flag.key, flagAnswer(world, flag))
    const { value, requiresServer, regex } = known.get(flag.key)!
    if (value === undefined) return { why: 'unresolved_dependency', requiresServer, regex }
  }
  const value = known.get(filter.key)!.value
  if (typeof filter.value === 'boolean') return filter.value === (value !== false)
  return filter.value === value
}
