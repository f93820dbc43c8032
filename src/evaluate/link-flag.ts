import { describeMissingFlag } from './compile-dependency.ts'
import type { UnlinkedFlag } from './compile-flag.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { createInconclusive } from './inconclusive.ts'

/**
 * Completes a flag once the evaluation order of all flags is known.
 *
 * @param isOrdered Whether a flag has an evaluation order.
 * @param hasAllDependencies Whether none of its dependencies is missing, so that a local evaluator can decide it.
 */
export const linkFlag = (
  { flag, dependencies, missingDependency }: UnlinkedFlag,
  isOrdered: (key: string) => boolean,
  hasAllDependencies: (key: string) => boolean,
): CompiledFlag => {
  const entries = [...dependencies]
  const missing = entries.filter(([key]) => !isOrdered(key)).map(([key, path]) => describeMissingFlag(key, path))
  const incomplete = entries.find(([key]) => !hasAllDependencies(key))
  const keepsReason = flag.idUnknown.reason === 'unsupported_definition' || incomplete === undefined
  // Every flag is a new object of one shape, which engines read faster.
  return {
    ...flag,
    settled: missing.length > 0 ? missingDependency : flag.settled,
    idUnknown: keepsReason
      ? flag.idUnknown
      : createInconclusive('unsupported_definition', describeMissingFlag(...incomplete)),
    asksFlags: entries.length > 0,
    problems: [...new Set([...flag.problems, ...missing])],
  }
}
