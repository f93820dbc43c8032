import type { FlagDefinitions } from '../wire/definition.ts'
import { bucket } from './bucket.ts'
import { compile } from './compile.ts'
import type { CompiledCondition, CompiledFlag } from './compiled-flag.ts'
import { evaluateFlag } from './evaluate-flag.ts'
import type { Evaluation, EvaluationContext } from './evaluation.ts'
import { explainFilters, json, outcomeWords } from './explain-filters.ts'
import type { Subject } from './explain-filters.ts'
import { isHeldOut } from './holdout.ts'
import { ownOf } from './own.ts'

const percent = (share: number): string => `${Number((share * 100).toFixed(4))} %`

const subjectOf = (flag: CompiledFlag, context: EvaluationContext): Subject => {
  const { groupType } = flag
  const groupIndex = flag.definition.filters.aggregation_group_type_index ?? undefined
  if (groupType !== undefined) return { groupIndex, groupType, id: ownOf(context.groups, groupType) }
  if (flag.byDevice) return { groupIndex, groupType, id: context.deviceId }
  return {
    groupIndex,
    groupType,
    id: (flag.continuity ? (context.hashKey ?? context.anonDistinctId) : undefined) ?? context.distinctId,
  }
}

const subjectWords = ({ groupType, id }: Subject, flag: CompiledFlag): string => {
  const kind = groupType ?? (flag.byDevice ? 'device' : 'distinct id')
  return id === undefined ? `not hashed, no ${kind} was given` : `hashed by the ${kind} ${json(id)}`
}

const rolloutWords = (flag: CompiledFlag, { rollout }: CompiledCondition, { id }: Subject): string => {
  if (rollout === undefined) return 'rollout: everybody'
  if (id === undefined) return `rollout ${percent(rollout)}: out, there is nothing to hash`
  const position = bucket(flag.prefix, id, '')[0]!
  return `rollout ${percent(rollout)}: ${position <= rollout ? 'in' : 'out'}, at ${percent(position)}`
}

const variantWords = (flag: CompiledFlag, { matches, fixed }: CompiledCondition, { id }: Subject): string => {
  const keys = matches.flatMap(({ variant }) => variant ?? [])
  if (fixed !== undefined) return `variant: ${json(keys[fixed])}, whatever the hash`
  const shares = keys.map((key, at) => `${key} below ${percent(flag.bounds[at]!)}`).join(', ')
  const at = id === undefined ? 'there is nothing to hash' : `at ${percent(bucket(flag.prefix, id, 'variant')[0]!)}`
  return `variant: ${at} (${shares})`
}

const holdoutWords = (flag: CompiledFlag, context: EvaluationContext, { id }: Subject): readonly string[] => {
  if (!flag.holdout) return []
  const { share, answer } = flag.holdout
  const held = id ?? context.distinctId
  const at = held === undefined ? 'there is nothing to hash' : `at ${percent(bucket('holdout-', held, '')[0]!)}`
  return [`${answer.variant} ${percent(share)}: ${isHeldOut(flag.holdout, held) ? 'held out' : 'not held out'}, ${at}`]
}

/** What the flag was decided by before its conditions were asked. */
const flagLines = (flag: CompiledFlag, context: EvaluationContext, subject: Subject): readonly string[] => {
  const lines = [subjectWords(subject, flag)]
  if (flag.enrolment) {
    const choice = ownOf(context.personProperties, flag.enrolment.key)
    lines.push(`enrolment: ${choice === undefined ? 'no choice was made' : `${json(choice)} was chosen`}`)
  }
  return [...lines, ...holdoutWords(flag, context, subject)]
}

const conditionSubject = (
  condition: CompiledCondition,
  index: number,
  flag: CompiledFlag,
  context: EvaluationContext,
): Subject => {
  const { groupType } = condition
  return {
    groupIndex: flag.definition.filters.groups[index]!.aggregation_group_type_index ?? undefined,
    groupType: groupType ?? 'group of this type',
    id: groupType === null || groupType === undefined ? undefined : ownOf(context.groups, groupType),
  }
}

/** Conditions up to the one that decided. */
const conditionLines = (
  definitions: FlagDefinitions,
  flag: CompiledFlag,
  context: EvaluationContext,
  evaluation: Evaluation,
  flagSubject: Subject,
): readonly string[] => {
  const explainFilter = explainFilters(definitions, context)
  const sections = flag.conditions.map((condition, index) => {
    const subject = condition.groupType === undefined ? flagSubject : conditionSubject(condition, index, flag, context)
    const filters = flag.definition.filters.groups[index]!.properties ?? []
    return { condition, subject, filters: filters.map((filter) => explainFilter(filter, subject)) }
  })
  const named = evaluation.value === undefined ? undefined : evaluation.conditionIndex
  const isDecided = evaluation.reason === 'condition_match' || flag.earlyExit
  const lines: string[] = []
  for (const [index, { condition, subject, filters }] of sections.entries()) {
    if (subject.groupType !== undefined && subject.id === undefined) {
      lines.push(`condition ${index}: ${subjectWords(subject, flag)}`)
      continue
    }
    lines.push(`condition ${index}${index !== named ? '' : isDecided ? ', which decides' : ', which came nearest'}:`)
    if (condition.groupType !== undefined) lines.push(`  ${subjectWords(subject, flag)}`)
    lines.push(...filters.flatMap((linesOf) => linesOf('  ')), `  ${rolloutWords(flag, condition, subject)}`)
    if (condition.matches.length > 1) lines.push(`  ${variantWords(flag, condition, subject)}`)
    if (index !== named || !isDecided) continue
    if (index < sections.length - 1) lines.push('later conditions were not asked')
    break
  }
  return lines
}

/**
 * Says for a person why a flag has its value: what it was hashed by, each condition with each of its filters and the value that
 * decided, where the hash fell beside the rollout, the holdout and the variants, and what came of it.
 *
 * Compiles the definitions for it: not for every evaluation.
 *
 * @returns One line each, without line ends; a single one for a flag that the definitions do not have.
 */
export const explain = (definitions: FlagDefinitions, key: string, context: EvaluationContext): readonly string[] => {
  const flag = compile(definitions).flags.get(key)
  if (!flag) return [`There is no flag ${json(key)}.`]
  const evaluation = evaluateFlag(flag, context)
  const lines = [`${key}: ${outcomeWords(evaluation)}`]
  if (evaluation.value === undefined) lines.push(`because ${evaluation.detail}`)
  else if (evaluation.payloadText !== undefined) lines.push(`payload: ${evaluation.payloadText}`)
  // A flag with one answer for everybody need not even have conditions that can be read.
  if ((context.complete ? flag.settled : flag.settledLocally) !== undefined) return lines

  const subject = subjectOf(flag, context)
  lines.push(...flagLines(flag, context, subject))
  const isDecidedBefore =
    evaluation.value !== undefined &&
    evaluation.conditionIndex === undefined &&
    evaluation.reason !== 'no_condition_match'
  return isDecidedBefore ? lines : [...lines, ...conditionLines(definitions, flag, context, evaluation, subject)]
}
