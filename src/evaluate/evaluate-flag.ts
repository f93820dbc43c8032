import type { JsonObject } from '../wire/json.ts'
import { bucket } from './bucket.ts'
import type { CompiledCondition, CompiledFlag, Run } from './compiled-flag.ts'
import { choiceOf } from './enrolment.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import { isHeldOut } from './holdout.ts'
import { combined, inconclusive } from './inconclusive.ts'
import { ownOf } from './own.ts'
import { thrownText } from './thrown-text.ts'

const NO_PROPERTIES: JsonObject = {}

const groupPropertiesOf = ({ groupProperties }: EvaluationContext, type: string): JsonObject =>
  ownOf(groupProperties, type) ?? NO_PROPERTIES

/** The answer for somebody who is in. */
const matchOf = (
  { prefix, bounds, whole }: CompiledFlag,
  { matches, fixed }: CompiledCondition,
  id: string | undefined,
): Conclusive => {
  if (fixed !== undefined) return matches[fixed]!
  // Without an id to hash nobody is in, but where all have the same.
  if (id === undefined) return matches[whole!]!
  const position = bucket(prefix, id, 'variant')[0]!
  let index = 0
  while (index < bounds.length && position >= bounds[index]!) index++
  return matches[index]!
}

const evaluate = (flag: CompiledFlag, context: Run): Evaluation => {
  const { complete } = context
  const settled = complete ? flag.settled : flag.settledLocally
  if (settled !== undefined) return settled

  let flagId: string | undefined
  let flagProperties = context.personProperties
  if (flag.groupType !== undefined) {
    flagId = ownOf(context.groups, flag.groupType)
    if (flagId === undefined) return flag.noGroup
    flagProperties = groupPropertiesOf(context, flag.groupType)
  } else if (flag.byDevice) {
    flagId = context.deviceId
    if (flagId === undefined && !complete) return flag.idUnknown
  } else {
    if (flag.continuity) flagId = context.hashKey ?? context.anonDistinctId
    flagId ??= context.distinctId
    if (flagId === undefined) return flag.idUnknown
  }

  if (flag.enrolment !== undefined) {
    const choice = choiceOf(flag.enrolment, context)
    if (choice !== undefined) return choice
  }
  if (flag.holdout !== undefined && isHeldOut(flag.holdout, flagId ?? context.distinctId)) return flag.holdout.answer

  const { conditions, earlyExit } = flag
  let flagPosition = -1
  let nearest = flag.noMatch
  let unknown: Inconclusive | undefined
  // The value of a condition that may or may not have matched before; null when there are several.
  let pending: Conclusive['value'] | null | undefined
  for (let at = 0; at < conditions.length; at++) {
    const condition = conditions[at]!
    let id = flagId
    let properties = flagProperties
    const { groupType } = condition
    if (groupType !== undefined) {
      id = groupType === null ? undefined : ownOf(context.groups, groupType)
      if (groupType === null || id === undefined) {
        if (nearest === flag.noMatch) nearest = condition.noGroup
        continue
      }
      properties = groupPropertiesOf(context, groupType)
    }

    const outcome = condition.filter === undefined || condition.filter(properties, context)
    if (outcome === false) continue
    if (outcome !== true) {
      unknown = combined(unknown, outcome)
      if (outcome.requiresServer) return unknown
      if (!outcome.blocks) continue
    }
    let isOut = false
    if (condition.rollout !== undefined) {
      // Nobody to hash: the service passes over the condition.
      if (id === undefined) isOut = true
      else if (groupType !== undefined) isOut = bucket(flag.prefix, id, '')[0]! > condition.rollout
      else {
        if (flagPosition < 0) flagPosition = bucket(flag.prefix, id, '')[0]!
        isOut = flagPosition > condition.rollout
      }
    } else if (id === undefined && condition.fixed === undefined && flag.whole === undefined) isOut = true

    if (outcome !== true) {
      // Out of the rollout it does not match, whatever is unknown about it, and stands in no other's way.
      if (isOut && !earlyExit) continue
      const value = isOut ? false : matchOf(flag, condition, id).value
      pending = pending === undefined || pending === value ? value : null
      continue
    }
    if (isOut) {
      nearest = condition.excluded
      if (earlyExit) break
      continue
    }
    const match = matchOf(flag, condition, id)
    return pending === undefined || pending === match.value ? match : unknown!
  }
  return unknown ?? nearest
}

/** Runs one flag as part of an evaluation that may need others, too. */
export const evaluateOne = (flag: CompiledFlag, run: Run): Evaluation => {
  try {
    return evaluate(flag, run)
  } catch (error) {
    // A property that cannot be read: one that refers to itself, say.
    return inconclusive('missing_context', `the flag cannot be evaluated: ${thrownText(error)}`)
  }
}

/**
 * Runs one flag. Never throws.
 *
 * Answers are made when the flag is compiled. Nothing is allocated here but what some operators need to read a property (dates,
 * versions, patterns, texts with capitals), what a flag that depends on others keeps of them while it runs, and the answer where
 * several things are unknown at once or a property cannot be read.
 *
 * Where other implementations disagree:
 * - Condition groups are tried in written order; groups with a variant do not come first.
 * - A property that is absent is unknown for every operator, `is_not_set` too, and so is one with the value undefined.
 * - `feature_enrollment` whose person property was not given is unknown, as is everything that only the service knows.
 * - One filter that fails decides its condition group, also inside cohorts, also when another one is unknown or is for the
 *   service alone. One for the service alone ends the evaluation, also when another one is unknown, too.
 * - A condition with a search for the service alone stands in the way of later ones of another value, unless its rollout keeps
 *   the person out.
 * - A group flag without its group is off, everywhere; with the group, its properties count as given, though there be none.
 * - In the service, somebody without the device id that a condition group hashes by is out of its rollout, which
 *   `early_exit` ends at.
 */
export const evaluateFlag = (flag: CompiledFlag, context: EvaluationContext): Evaluation =>
  evaluateOne(flag, flag.asksFlags ? { ...context, evaluated: new Map() } : context)
