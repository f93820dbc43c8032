import type { JsonObject } from '../wire/json.ts'
import { bucket } from './bucket.ts'
import type { CompiledCondition, CompiledFlag, EvaluationState } from './compiled-flag.ts'
import { describeError } from './describe-error.ts'
import { evaluateEnrolment } from './enrolment.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import { isHeldOut } from './holdout.ts'
import { combineInconclusive, createInconclusive } from './inconclusive.ts'
import { getOwn } from './own-property.ts'

const NO_PROPERTIES: JsonObject = {}

const getGroupProperties = ({ groupProperties }: EvaluationContext, type: string): JsonObject =>
  getOwn(groupProperties, type) ?? NO_PROPERTIES

/** The result of a condition for an id inside its rollout. */
const selectMatch = (
  { prefix, bounds, whole }: CompiledFlag,
  { matches, fixed }: CompiledCondition,
  id: string | undefined,
): Conclusive => {
  if (fixed !== undefined) return matches[fixed]!
  // Without an id to hash, a condition is entered only when everyone gets the same variant.
  if (id === undefined) return matches[whole!]!
  const position = bucket(prefix, id, 'variant')[0]!
  let index = 0
  while (index < bounds.length && position >= bounds[index]!) index++
  return matches[index]!
}

const evaluate = (flag: CompiledFlag, state: EvaluationState): Evaluation => {
  const { complete } = state
  const constant = complete ? flag.settled : flag.settledLocally
  if (constant !== undefined) return constant

  let flagId: string | undefined
  let flagProperties = state.personProperties
  if (flag.groupType !== undefined) {
    flagId = getOwn(state.groups, flag.groupType)
    if (flagId === undefined) return flag.noGroup
    flagProperties = getGroupProperties(state, flag.groupType)
  } else if (flag.byDevice) {
    flagId = state.deviceId
    if (flagId === undefined && !complete) return flag.idUnknown
  } else {
    if (flag.continuity) flagId = state.hashKey ?? state.anonDistinctId
    flagId ??= state.distinctId
    if (flagId === undefined) return flag.idUnknown
  }

  if (flag.enrolment !== undefined) {
    const choice = evaluateEnrolment(flag.enrolment, state)
    if (choice !== undefined) return choice
  }
  if (flag.holdout !== undefined && isHeldOut(flag.holdout, flagId ?? state.distinctId)) return flag.holdout.answer

  const { conditions, earlyExit } = flag
  let flagPosition = -1
  let closest = flag.noMatch
  let unknown: Inconclusive | undefined
  // The value of an earlier condition that is undecided but blocks others; null when there are several values.
  let blockingValue: Conclusive['value'] | null | undefined
  for (let index = 0; index < conditions.length; index++) {
    const condition = conditions[index]!
    let id = flagId
    let properties = flagProperties
    const { groupType } = condition
    if (groupType !== undefined) {
      id = groupType === null ? undefined : getOwn(state.groups, groupType)
      if (groupType === null || id === undefined) {
        if (closest === flag.noMatch) closest = condition.noGroup
        continue
      }
      properties = getGroupProperties(state, groupType)
    }

    const result = condition.filter === undefined || condition.filter(properties, state)
    if (result === false) continue
    if (result !== true) {
      unknown = combineInconclusive(unknown, result)
      if (result.requiresServer) return unknown
      if (!result.blocks) continue
    }
    let isOut = false
    if (condition.rollout !== undefined) {
      // Without an id to hash, the service skips the condition.
      if (id === undefined) isOut = true
      else if (groupType !== undefined) isOut = bucket(flag.prefix, id, '')[0]! > condition.rollout
      else {
        if (flagPosition < 0) flagPosition = bucket(flag.prefix, id, '')[0]!
        isOut = flagPosition > condition.rollout
      }
    } else if (id === undefined && condition.fixed === undefined && flag.whole === undefined) isOut = true

    if (result !== true) {
      // Outside the rollout the condition cannot match, whatever its filters say, so it does not block later ones.
      if (isOut && !earlyExit) continue
      const value = isOut ? false : selectMatch(flag, condition, id).value
      blockingValue = blockingValue === undefined || blockingValue === value ? value : null
      continue
    }
    if (isOut) {
      closest = condition.excluded
      if (earlyExit) break
      continue
    }
    const match = selectMatch(flag, condition, id)
    return blockingValue === undefined || blockingValue === match.value ? match : unknown!
  }
  return unknown ?? closest
}

/** Evaluates one flag as part of an evaluation that may include its dependencies. */
export const evaluateWithState = (flag: CompiledFlag, state: EvaluationState): Evaluation => {
  try {
    return evaluate(flag, state)
  } catch (error) {
    // A property that cannot be read, for example one that contains itself.
    return createInconclusive('missing_context', `the flag cannot be evaluated: ${describeError(error)}`)
  }
}

/**
 * Evaluates one flag. Never throws.
 *
 * Results are created when the flag is compiled, so most evaluations allocate nothing. The exceptions: operators that parse a
 * property (dates, versions, patterns, strings with capitals), the map of dependency results, and inconclusive results that
 * combine several reasons or report a property that cannot be read.
 *
 * Where implementations of the protocol disagree, this one decides:
 * - Condition groups are tried in written order; groups with a variant do not come first.
 * - An absent property is unknown for every operator, including `is_not_set`. A property with the value undefined is absent.
 * - `feature_enrollment` without its person property is unknown, like everything that only the service knows.
 * - One filter that fails decides its condition group, also inside cohorts, also when another one is unknown or service-only.
 *   A service-only filter ends the evaluation, also when another one is unknown.
 * - A condition with a service-only pattern blocks later conditions of another value, unless its rollout excludes the person.
 * - A group flag without its group is off everywhere. With the group, its properties count as given even when there are none.
 * - In the service, a person without the device id that a condition group hashes by is outside its rollout; `early_exit`
 *   ends there.
 */
export const evaluateFlag = (flag: CompiledFlag, context: EvaluationContext): Evaluation =>
  evaluateWithState(flag, flag.asksFlags ? { ...context, evaluations: new Map() } : context)
