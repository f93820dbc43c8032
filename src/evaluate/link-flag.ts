import { noFlag } from './compile-dependency.ts'
import type { CompiledDraft } from './compile-flag.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { inconclusive } from './inconclusive.ts'

/**
 * The flag of a draft, once it is known which of the flags that it asks for can be evaluated.
 *
 * @param isLinked Whether a flag has a chain.
 * @param isWhole Whether a local evaluator can believe it.
 */
export const linkFlag = (
  { flag, dependencies, missingDependency }: CompiledDraft,
  isLinked: (key: string) => boolean,
  isWhole: (key: string) => boolean,
): CompiledFlag => {
  const needs = [...dependencies]
  const missing = needs.filter(([key]) => !isLinked(key)).map(([key, place]) => noFlag(key, place))
  const open = needs.find(([key]) => !isWhole(key))
  const isToldFlaw = flag.idUnknown.reason === 'unsupported_definition' || open === undefined
  // A new object for all flags alike: they have one shape then, which engines read faster.
  return {
    ...flag,
    settled: missing.length > 0 ? missingDependency : flag.settled,
    idUnknown: isToldFlaw ? flag.idUnknown : inconclusive('unsupported_definition', noFlag(...open)),
    asksFlags: needs.length > 0,
    problems: [...new Set([...flag.problems, ...missing])],
  }
}
