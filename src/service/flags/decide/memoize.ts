import type { Conclusive } from '../../../evaluate/evaluation.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'

/**
 * Caches the result of `create` per evaluation, until the evaluation is garbage collected. The compiler creates evaluations
 * once per flag, not per request, so this serialises them once and not per request.
 */
export const memoize = <T extends string | object>(
  create: (definition: FlagDefinition, evaluation: Conclusive) => T,
): typeof create => {
  const cache = new WeakMap<Conclusive, T>()
  return (definition, evaluation) => {
    let result = cache.get(evaluation)
    if (result === undefined) {
      result = create(definition, evaluation)
      cache.set(evaluation, result)
    }
    return result
  }
}
