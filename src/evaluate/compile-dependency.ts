import type { JsonObject } from '../wire/json.ts'
import type { CompiledFlag, Filter, Run } from './compiled-flag.ts'
import { evaluateOne } from './evaluate-flag.ts'
import type { Evaluation } from './evaluation.ts'
import { inconclusive } from './inconclusive.ts'
import { isAbsent, Malformed } from './malformed.ts'
import { unsupported } from './scope.ts'
import type { Site } from './scope.ts'

/** What is wrong with a filter on a flag that cannot be evaluated for it. */
export const noFlag = (key: string, place: string): string =>
  `${place}: the flag "${key}" is missing, depends on itself or on too many others`

/** Each flag is run once for one evaluation, however many depend on it. */
const evaluated = (flag: CompiledFlag, run: Run): Evaluation => {
  const known = run.evaluated?.get(flag)
  if (known) return known
  const evaluation = evaluateOne(flag, run)
  run.evaluated?.set(flag, evaluation)
  return evaluation
}

/**
 * A filter on another flag's value: true stands for any variant, too, a text for that variant alone. Where all properties
 * are known, a flag that depends on a missing flag, or on itself, is never asked (`missing_dependency`), and counts as off.
 * A local evaluator has no value for such a flag: there the filter is inconclusive, whether that flag is the one it names or
 * behind it. It is, too, when the definitions give a chain that is empty, their mark of a circle, or that names a flag that
 * is missing.
 *
 * Throws `Malformed`.
 */
export const compileDependency = (filter: JsonObject, key: string, place: string, site: Site): Filter => {
  const { scope, findings } = site
  const { value: wanted, operator, dependency_chain: given } = filter
  if (!isAbsent(operator) && operator !== 'flag_evaluates_to')
    return unsupported(`${place}: the operator ${JSON.stringify(operator)} is not one for flags`, site)
  if (typeof wanted !== 'boolean' && typeof wanted !== 'string')
    throw new Malformed(`${place}.value`, 'must be true, false or the key of a variant')
  if (!findings.dependencies.has(key)) findings.dependencies.set(key, place)
  const isMarked =
    Array.isArray(given) && (given.length === 0 || given.some((link: unknown) => !scope.flagKeys.has(link as string)))
  const problem = noFlag(key, place)
  if (isMarked) {
    findings.flaws.add(problem)
    findings.problems.add(problem)
  }
  const missing = inconclusive('unsupported_definition', problem)
  const unresolved = inconclusive('unresolved_dependency', `${place}: the flag "${key}" has no value here`)
  return (_properties, run) => {
    const chain = scope.chainOf(key)
    if (!chain || (!run.complete && (isMarked || !chain.isWhole))) return missing
    let value: Evaluation['value']
    for (const flag of chain.flags) {
      const evaluation = evaluated(flag, run)
      if (evaluation.value === undefined) {
        const { requiresServer, blocks } = evaluation
        return requiresServer || blocks ? { ...unresolved, requiresServer, blocks } : unresolved
      }
      value = evaluation.value
    }
    return wanted === true ? value !== false : value === wanted
  }
}
