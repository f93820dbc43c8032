import type { JsonObject } from '../wire/json.ts'
import { bucket } from './bucket.ts'
import type { CompiledCondition, CompiledFlag, EvaluationState } from './compiled-flag.ts'
import { describeError } from './describe-error.ts'
import { evaluateEnrolment } from './enrolment.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import { isHeldOut } from './holdout.ts'
import { combineInconclusive, createInconclusive, WORK_EXCEEDED } from './inconclusive.ts'
import { getOwn } from './own-property.ts'
import { endEvaluation, isWorkExceeded, startDependencyResults, startEvaluation, takeWork } from './work-budget.ts'

const NO_PROPERTIES: JsonObject = {}

const getGroupProperties = ({ groupProperties }: EvaluationContext, type: string): JsonObject =>
  getOwn(groupProperties, type) ?? NO_PROPERTIES

/** Returns the result of a matching condition for an id inside its rollout. */
const selectMatch = (
  { prefix, bounds, whole }: CompiledFlag,
  { matchResults, fixedIndex }: CompiledCondition,
  id: string | undefined,
): Conclusive => {
  if (fixedIndex !== undefined) return matchResults[fixedIndex]!
  // Without an id to hash, `evaluate` reaches this line only when everyone gets the same variant.
  if (id === undefined) return matchResults[whole!]!
  const position = bucket(prefix, id, 'variant')[0]!
  let index = 0
  while (index < bounds.length && position >= bounds[index]!) index++
  return matchResults[index]!
}

const evaluate = (flag: CompiledFlag, state: EvaluationState): Evaluation => {
  const { complete } = state
  const constantResult = complete ? flag.settled : flag.settledLocally
  if (constantResult !== undefined) return constantResult

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
  if (flag.holdout !== undefined && isHeldOut(flag.holdout, flagId ?? state.distinctId))
    return flag.holdout.heldOutResult

  const { conditions, earlyExit } = flag
  let flagPosition = -1
  let closestResult = flag.noMatch
  let unknownResult: Inconclusive | undefined
  // The value of earlier conditions that are undecided but block others; null when these have different values.
  let blockingValue: Conclusive['value'] | null | undefined
  for (let index = 0; index < conditions.length; index++) {
    const condition = conditions[index]!
    let id = flagId
    let properties = flagProperties
    const { groupType } = condition
    if (groupType !== undefined) {
      id = groupType === null ? undefined : getOwn(state.groups, groupType)
      if (groupType === null || id === undefined) {
        if (closestResult === flag.noMatch) closestResult = condition.noGroupResult
        continue
      }
      properties = getGroupProperties(state, groupType)
    }

    const { filter } = condition
    const result = filter === undefined || (takeWork(condition.work) ? filter(properties, state) : WORK_EXCEEDED)
    if (result === false) continue
    if (result !== true) {
      unknownResult = combineInconclusive(unknownResult, result)
      if (result.requiresServer) return unknownResult
      if (!result.blocks) continue
    }
    let isExcluded = false
    if (condition.rollout !== undefined) {
      // Without an id to hash, the service skips the condition.
      if (id === undefined) isExcluded = true
      else if (groupType !== undefined) isExcluded = bucket(flag.prefix, id, '')[0]! > condition.rollout
      else {
        if (flagPosition < 0) flagPosition = bucket(flag.prefix, id, '')[0]!
        isExcluded = flagPosition > condition.rollout
      }
    } else if (id === undefined && condition.fixedIndex === undefined && flag.whole === undefined) isExcluded = true

    if (result !== true) {
      // Outside the rollout the condition cannot match, whatever its filters say, so it does not block later ones.
      if (isExcluded && !earlyExit) continue
      const value = isExcluded ? false : selectMatch(flag, condition, id).value
      blockingValue = blockingValue === undefined || blockingValue === value ? value : null
      continue
    }
    if (isExcluded) {
      closestResult = condition.excludedResult
      if (earlyExit) break
      continue
    }
    const match = selectMatch(flag, condition, id)
    return blockingValue === undefined || blockingValue === match.value ? match : unknownResult!
  }
  return unknownResult ?? closestResult
}

/** Evaluates one flag as part of an evaluation that may include its dependencies. */
export const evaluateWithState = (flag: CompiledFlag, state: EvaluationState): Evaluation => {
  try {
    return evaluate(flag, state)
  } catch (error) {
    if (isWorkExceeded(error)) return WORK_EXCEEDED
    // A property cannot be read, for example because it contains itself.
    return createInconclusive('missing_context', `the flag cannot be evaluated: ${describeError(error)}`)
  }
}

/**
 * Evaluates one flag. Never throws. To evaluate several flags for the same context, do it inside `shareWork`: they share its budget of work.
 * Outside, each evaluation has one of its own.
 *
 * Results are created when the flag is compiled, so most evaluations allocate nothing. The exceptions: operators that parse a
 * property (dates, versions, patterns, strings with capitals), the map of dependency results, and inconclusive results that
 * combine several reasons or report a property that cannot be read.
 *
 * Where implementations of the protocol disagree, this one decides:
 * - Condition groups are tried in written order; groups with a variant do not come first.
 * - An absent property is unknown for every operator, including `is_not_set`. A property with the value undefined is absent.
 * - `feature_enrollment` without its person property is unknown, like everything that only the service knows.
 * - One filter that does not match decides its condition group, also inside cohorts, even when another filter is unknown or
 *   service-only. A service-only filter ends the evaluation, even when another filter is unknown.
 * - A condition with a service-only pattern blocks later conditions of another value, unless its rollout excludes the person.
 * - A group flag without its group is off everywhere. With the group, its properties are treated as given even if there are none.
 * - In the service, a person without the device id that a condition group hashes by is outside its rollout; `early_exit` then
 *   ends the evaluation.
 * - A condition on a value of more than 64 KiB is inconclusive and blocks later conditions of another value.
 */
export const evaluateFlag = (flag: CompiledFlag, context: EvaluationContext): Evaluation => {
  startEvaluation()
  const evaluation = evaluateWithState(
    flag,
    flag.asksFlags ? { ...context, dependencyResults: startDependencyResults() } : context,
  )
  endEvaluation()
  return evaluation
}
