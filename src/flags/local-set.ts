import { compile } from '../evaluate/compile.ts'
import { evaluateFlag } from '../evaluate/evaluate-flag.ts'
import type { DecideRequest } from '../wire/decide.ts'
import type { FlagDefinitions } from '../wire/definition.ts'
import { knownFlag } from './known-flag.ts'
import { localContext } from './local-context.ts'
import type { KnownFlag } from './local-flags.ts'

/** What a set of definitions says of somebody. */
export interface LocalEvaluation {
  /** The flags that could be evaluated, off ones too. */
  readonly flags: Readonly<Record<string, KnownFlag>>
  /** Keys of those that only the service can tell. */
  readonly unresolved: readonly string[]
}

/** Definitions that were compiled. */
export interface LocalSet {
  /** Whether there is a flag with this key. */
  names(key: string): boolean
  /**
   * @param subject As the service would be asked. A property that it does not name is not known, which is not the same as absent.
   * @param now Milliseconds since 1970: relative dates count from here.
   */
  evaluate(subject: DecideRequest, now: number): LocalEvaluation
}

/** Compiles once; of definitions that cannot be run here the service is to be asked. */
export const localSet = (definitions: FlagDefinitions): LocalSet => {
  const set = compile(definitions)
  const isMinimal = definitions.minimal_flag_called_events === true
  return {
    names: (key) => set.flags.has(key),
    evaluate(subject, now) {
      const context = localContext(subject, now)
      const flags: [string, KnownFlag][] = []
      const unresolved: string[] = []
      for (const [key, flag] of set.flags) {
        const evaluation = evaluateFlag(flag, context)
        if (evaluation.value === undefined) unresolved.push(key)
        else flags.push([key, knownFlag(evaluation, flag.definition, isMinimal)])
      }
      // Not by assignment: a key may be `__proto__`.
      return { flags: Object.fromEntries(flags), unresolved }
    },
  }
}
