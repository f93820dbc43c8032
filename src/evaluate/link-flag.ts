import { describeMissingFlag } from './compile-dependency.ts'
import type { UnlinkedFlag } from './compile-flag.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { createInconclusive } from './inconclusive.ts'

/**
 * Completes a compiled flag with what depends on other flags. Call it when the evaluation order of all flags is known.
 *
 * @param isOrdered Whether a flag has an evaluation order.
 * @param hasAllDependencies Whether none of its dependencies is missing, so that a local evaluator can decide it.
 */
export const linkFlag = (
  { flag, dependencies, missingDependency }: UnlinkedFlag,
  isOrdered: (key: string) => boolean,
  hasAllDependencies: (key: string) => boolean,
): CompiledFlag => {
  const dependencyPaths = [...dependencies]
  const missingProblems = dependencyPaths
    .filter(([key]) => !isOrdered(key))
    .map(([key, path]) => describeMissingFlag(key, path))
  const incompleteDependency = dependencyPaths.find(([key]) => !hasAllDependencies(key))
  const hasFinalReason = flag.idUnknown.reason === 'unsupported_definition' || incompleteDependency === undefined
  // Every flag is a new object of one shape, which engines read faster.
  return {
    ...flag,
    settled: missingProblems.length > 0 ? missingDependency : flag.settled,
    idUnknown: hasFinalReason
      ? flag.idUnknown
      : createInconclusive('unsupported_definition', describeMissingFlag(...incompleteDependency)),
    asksFlags: dependencyPaths.length > 0,
    problems: [...new Set([...flag.problems, ...missingProblems])],
  }
}
