import type { JsonObject } from '../wire/json.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { evaluateFlag } from './evaluate-flag.ts'
import type { Evaluation, EvaluationContext } from './evaluation.ts'
import type { Filter } from './filter.ts'
import { inconclusive } from './inconclusive.ts'
import { isAbsent, Malformed } from './malformed.ts'
import { type Site, unsupported } from './scope.ts'

/** Each flag is evaluated once for one context, however many depend on it. */
const evaluated = (flag: CompiledFlag, context: EvaluationContext): Evaluation => {
  const known = (context.evaluated ??= new Map())
  let evaluation = known.get(flag)
  if (!evaluation) known.set(flag, (evaluation = evaluateFlag(flag, context)))
  return evaluation
}

/**
 * A filter on another flag's value: true stands for any variant, too, a text for that variant alone. Where all properties
 * are known, a flag that depends on a missing flag, or on itself, is never asked (`missing_dependency`); elsewhere the
 * filter is inconclusive then, as when the definitions give a chain that is empty, their mark of a circle, or that names a
 * flag that is missing.
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
  findings.dependencies.add(key)
  const isBroken =
    Array.isArray(given) && (given.length === 0 || given.some((link: unknown) => !scope.flagKeys.has(link as string)))
  const missing = inconclusive(
    'unsupported_definition',
    `${place}: the flag "${key}" is missing, depends on itself or on too many others`,
  )
  const unresolved = inconclusive('unresolved_dependency', `${place}: the flag "${key}" has no value here`)
  return (_properties, context) => {
    const chain = scope.chains.get(key)
    if (!chain || (isBroken && !context.complete)) return missing
    let value: Evaluation['value']
    for (let at = 0; at < chain.length; at++) {
      const evaluation = evaluated(chain[at]!, context)
      if (evaluation.value === undefined) {
        const { requiresServer, blocks } = evaluation
        return requiresServer || blocks ? { ...unresolved, requiresServer, blocks } : unresolved
      }
      value = evaluation.value
    }
    return wanted === true ? value !== false : value === wanted
  }
}
