import type { JsonObject } from '../wire/json.ts'
import type { CompiledFilter, CompiledFlag, EvaluationState } from './compiled-flag.ts'
import { evaluateWithState } from './evaluate-flag.ts'
import type { Evaluation } from './evaluation.ts'
import { createInconclusive } from './inconclusive.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import { isAbsentOrNull } from './read-value.ts'
import { createUnsupportedFilter } from './scope.ts'
import type { FilterScope } from './scope.ts'

/** Describes a filter on a flag that has no evaluation order: it is missing, in a cycle or has too many dependencies. */
export const describeMissingFlag = (key: string, path: string): string =>
  `${path}: the flag "${key}" is missing, depends on itself or on too many other flags`

/** Evaluates a flag once per evaluation, however many flags depend on it. */
const evaluateOnce = (flag: CompiledFlag, state: EvaluationState): Evaluation => {
  const cached = state.dependencyResults?.get(flag)
  if (cached) return cached
  const evaluation = evaluateWithState(flag, state)
  state.dependencyResults?.set(flag, evaluation)
  return evaluation
}

/**
 * Compiles a filter on another flag's value: true also matches any variant, a string matches only that variant.
 *
 * In the service, where all properties are known, a flag that depends on a missing flag or on itself is off
 * (`missing_dependency`). This filter then tests the value false. A local evaluator has no value for such a flag, so the filter is
 * inconclusive there, also when that flag is an indirect dependency. It is inconclusive too when the definitions mark a cycle
 * by an empty `dependency_chain`, or when the chain names a missing flag.
 *
 * Throws `MalformedDefinitionError`.
 */
export const compileDependency = (
  filter: JsonObject,
  key: string,
  path: string,
  scope: FilterScope,
): CompiledFilter => {
  const { sharedScope, findings } = scope
  const { value: expectedValue, operator, dependency_chain: chain } = filter
  if (!isAbsentOrNull(operator) && operator !== 'flag_evaluates_to')
    return createUnsupportedFilter(`${path}: the operator ${JSON.stringify(operator)} does not work on flags`, scope)
  if (typeof expectedValue !== 'boolean' && typeof expectedValue !== 'string')
    throw new MalformedDefinitionError(`${path}.value`, 'must be true, false or the key of a variant')
  if (!findings.dependencies.has(key)) findings.dependencies.set(key, path)
  const isChainBroken =
    Array.isArray(chain) &&
    (chain.length === 0 || chain.some((link: unknown) => !sharedScope.flagKeys.has(link as string)))
  const problem = describeMissingFlag(key, path)
  if (isChainBroken) {
    findings.localProblems.add(problem)
    findings.problems.add(problem)
  }
  const missingResult = createInconclusive('unsupported_definition', problem)
  const unresolvedResult = createInconclusive('unresolved_dependency', `${path}: the flag "${key}" has no value here`)
  return (_properties, state) => {
    const order = sharedScope.getEvaluationOrder(key)
    if (!order || (!state.complete && (isChainBroken || !order.hasAllDependencies))) return missingResult
    let value: Evaluation['value']
    for (const flag of order.flags) {
      const evaluation = evaluateOnce(flag, state)
      if (evaluation.value === undefined) {
        const { requiresServer, blocks } = evaluation
        return requiresServer || blocks ? { ...unresolvedResult, requiresServer, blocks } : unresolvedResult
      }
      value = evaluation.value
    }
    return expectedValue === true ? value !== false : value === expectedValue
  }
}
