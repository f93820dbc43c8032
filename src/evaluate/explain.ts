import type { FlagDefinitions } from '../wire/definition.ts'
import { bucket } from './bucket.ts'
import { compile } from './compile.ts'
import { describeError } from './describe-error.ts'
import type { CompiledCondition, CompiledFlag } from './compiled-flag.ts'
import { evaluateFlag } from './evaluate-flag.ts'
import type { Evaluation, EvaluationContext } from './evaluation.ts'
import { explainFilters, formatEvaluation, formatJson } from './explain-filters.ts'
import type { Subject } from './explain-filters.ts'
import { isHeldOut } from './holdout.ts'
import { getOwn } from './own-property.ts'

const formatPercent = (share: number): string => `${Number((share * 100).toFixed(4))} %`

const getFlagSubject = (flag: CompiledFlag, context: EvaluationContext): Subject => {
  const { groupType } = flag
  const groupIndex = flag.definition.filters.aggregation_group_type_index ?? undefined
  if (groupType !== undefined) return { groupIndex, groupType, id: getOwn(context.groups, groupType) }
  if (flag.byDevice) return { groupIndex, groupType, id: context.deviceId }
  return {
    groupIndex,
    groupType,
    id: (flag.continuity ? (context.hashKey ?? context.anonDistinctId) : undefined) ?? context.distinctId,
  }
}

const describeSubject = ({ groupType, id }: Subject, flag: CompiledFlag): string => {
  const kind = groupType ?? (flag.byDevice ? 'device' : 'distinct id')
  return id === undefined ? `not hashed, no ${kind} was given` : `hashed by the ${kind} ${formatJson(id)}`
}

const describeRollout = (flag: CompiledFlag, { rollout }: CompiledCondition, { id }: Subject): string => {
  if (rollout === undefined) return 'rollout: everyone'
  if (id === undefined) return `rollout ${formatPercent(rollout)}: out, there is no id to hash`
  const position = bucket(flag.prefix, id, '')[0]!
  return `rollout ${formatPercent(rollout)}: ${position <= rollout ? 'in' : 'out'}, at ${formatPercent(position)}`
}

const describeVariant = (
  flag: CompiledFlag,
  { matchResults, fixedIndex }: CompiledCondition,
  { id }: Subject,
): string => {
  const keys = matchResults.flatMap(({ variant }) => variant ?? [])
  if (fixedIndex !== undefined) return `variant: ${formatJson(keys[fixedIndex])}, whatever the hash`
  const shares = keys.map((key, index) => `${key} below ${formatPercent(flag.bounds[index]!)}`).join(', ')
  const position =
    id === undefined ? 'there is no id to hash' : `at ${formatPercent(bucket(flag.prefix, id, 'variant')[0]!)}`
  return `variant: ${position} (${shares})`
}

const describeHoldout = (flag: CompiledFlag, context: EvaluationContext, { id }: Subject): readonly string[] => {
  if (!flag.holdout) return []
  const { share, heldOutResult } = flag.holdout
  const hashedId = id ?? context.distinctId
  const position =
    hashedId === undefined ? 'there is no id to hash' : `at ${formatPercent(bucket('holdout-', hashedId, '')[0]!)}`
  const result = isHeldOut(flag.holdout, hashedId) ? 'held out' : 'not held out'
  return [`${heldOutResult.variant} ${formatPercent(share)}: ${result}, ${position}`]
}

/** What can decide a flag before its conditions: the id, the enrolment and the holdout. */
const describeFlag = (flag: CompiledFlag, context: EvaluationContext, subject: Subject): readonly string[] => {
  const lines = [describeSubject(subject, flag)]
  if (flag.enrolment) {
    const choice = getOwn(context.personProperties, flag.enrolment.propertyKey)
    lines.push(`enrolment: ${choice === undefined ? 'no choice was made' : `${formatJson(choice)} was chosen`}`)
  }
  return [...lines, ...describeHoldout(flag, context, subject)]
}

const getConditionSubject = (
  condition: CompiledCondition,
  index: number,
  flag: CompiledFlag,
  context: EvaluationContext,
): Subject => {
  const { groupType } = condition
  return {
    groupIndex: flag.definition.filters.groups[index]!.aggregation_group_type_index ?? undefined,
    groupType: groupType ?? 'group of this type',
    id: groupType === null || groupType === undefined ? undefined : getOwn(context.groups, groupType),
  }
}

/** Describes the conditions up to the one that decided. */
const describeConditions = (
  definitions: FlagDefinitions,
  flag: CompiledFlag,
  context: EvaluationContext,
  evaluation: Evaluation,
  flagSubject: Subject,
): readonly string[] => {
  const explainFilter = explainFilters(definitions, context)
  const sections = flag.conditions.map((condition, index) => {
    const subject =
      condition.groupType === undefined ? flagSubject : getConditionSubject(condition, index, flag, context)
    const filters = flag.definition.filters.groups[index]!.properties ?? []
    return { condition, subject, filters: filters.map((filter) => explainFilter(filter, subject)) }
  })
  const reasonIndex = evaluation.value === undefined ? undefined : evaluation.conditionIndex
  const isDecided = evaluation.reason === 'condition_match' || flag.earlyExit
  const lines: string[] = []
  let index = -1
  for (const { condition, subject, filters } of sections) {
    index++
    if (subject.groupType !== undefined && subject.id === undefined) {
      lines.push(`condition ${index}: ${describeSubject(subject, flag)}`)
      continue
    }
    const suffix = index !== reasonIndex ? '' : isDecided ? ', which decides' : ', which came closest'
    lines.push(`condition ${index}${suffix}:`)
    if (condition.groupType !== undefined) lines.push(`  ${describeSubject(subject, flag)}`)
    lines.push(
      ...filters.flatMap((formatFilter) => formatFilter('  ')),
      `  ${describeRollout(flag, condition, subject)}`,
    )
    if (condition.matchResults.length > 1) lines.push(`  ${describeVariant(flag, condition, subject)}`)
    if (index !== reasonIndex || !isDecided) continue
    if (index < sections.length - 1) lines.push('later conditions were not evaluated')
    break
  }
  return lines
}

/**
 * Explains why a flag has its value for a person. The lines give the result, the id that was hashed, and each condition with its
 * filters and the values they tested. They also give the position of the hash in the rollout, the holdout and the variants.
 *
 * Compiles the definitions on each call, so do not call it for every evaluation. Never throws: where arguments cannot be read, a single line
 * says why.
 *
 * @returns One line per element, without line breaks; a single line for a flag that the definitions do not contain.
 */
export const explain = (definitions: FlagDefinitions, key: string, context: EvaluationContext): readonly string[] => {
  try {
    return explainOrThrow(definitions, key, context)
  } catch (error) {
    return [`The flag cannot be explained: ${describeError(error).replace(/\s+/g, ' ')}.`]
  }
}

const explainOrThrow = (definitions: FlagDefinitions, key: string, context: EvaluationContext): readonly string[] => {
  const flag = compile(definitions).flags.get(key)
  if (!flag) return [`There is no flag ${formatJson(key)}.`]
  const evaluation = evaluateFlag(flag, context)
  const lines = [`${key}: ${formatEvaluation(evaluation)}`]
  if (evaluation.value === undefined) lines.push(`because ${evaluation.detail}`)
  else if (evaluation.payloadText !== undefined) lines.push(`payload: ${evaluation.payloadText}`)
  // The conditions of a flag with a constant result may be malformed.
  if ((context.complete ? flag.settled : flag.settledLocally) !== undefined) return lines

  const subject = getFlagSubject(flag, context)
  lines.push(...describeFlag(flag, context, subject))
  const isDecidedBefore =
    evaluation.value !== undefined &&
    evaluation.conditionIndex === undefined &&
    evaluation.reason !== 'no_condition_match'
  return isDecidedBefore ? lines : [...lines, ...describeConditions(definitions, flag, context, evaluation, subject)]
}
