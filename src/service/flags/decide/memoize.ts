import type { Conclusive } from '../../../evaluate/evaluation.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'

/**
 * Remembers what `make` makes of a result for as long as the result is in use. Results are made when a set is compiled, each
 * for one flag, and not for each evaluation: so the texts of answers are serialised once, not for each request.
 */
export const madeOnce = <T extends string | object>(
  make: (definition: FlagDefinition, evaluation: Conclusive) => T,
): typeof make => {
  const made = new WeakMap<Conclusive, T>()
  return (definition, evaluation) => {
    let known = made.get(evaluation)
    if (known === undefined) {
      known = make(definition, evaluation)
      made.set(evaluation, known)
    }
    return known
  }
}
