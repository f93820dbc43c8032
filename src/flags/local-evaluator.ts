import { compile } from '../evaluate/compile.ts'
import { evaluateFlag } from '../evaluate/evaluate-flag.ts'
import { shareWork } from '../evaluate/work-budget.ts'
import type { DecideRequest } from '../wire/decide.ts'
import type { FlagDefinitions } from '../wire/definition.ts'
import { createLocalContext } from './create-local-context.ts'
import type { ResolvedFlag } from './local-flags.ts'
import { toResolvedFlag } from './to-resolved-flag.ts'

/** The result of evaluating all definitions for one user. */
export interface LocalEvaluation {
  /** The flags that could be evaluated, including those that are off. */
  readonly flags: Readonly<Record<string, ResolvedFlag>>
  /** Keys of the flags that only the service can evaluate. */
  readonly unresolved: readonly string[]
}

/** Evaluates compiled definitions. */
export interface LocalEvaluator {
  /** Returns whether the definitions contain a flag with this key. */
  hasFlag(key: string): boolean
  /**
   * Evaluates all flags for one user.
   *
   * @param subject The body of the request to the service. A property that it does not contain is unknown, not absent.
   * @param now Milliseconds since 1970; relative dates count from here.
   */
  evaluate(subject: DecideRequest, now: number): LocalEvaluation
}

/** Compiles the definitions once. The keys of flags that cannot be evaluated here are in `unresolved`. */
export const createLocalEvaluator = (definitions: FlagDefinitions): LocalEvaluator => {
  const compiledSet = compile(definitions)
  const isMinimal = definitions.minimal_flag_called_events === true
  return {
    hasFlag: (key) => compiledSet.flags.has(key),
    evaluate(subject, now) {
      const context = createLocalContext(subject, now)
      const flags: [string, ResolvedFlag][] = []
      const unresolved: string[] = []
      shareWork(() => {
        for (const [key, flag] of compiledSet.flags) {
          const evaluation = evaluateFlag(flag, context)
          if (evaluation.value === undefined) unresolved.push(key)
          else flags.push([key, toResolvedFlag(evaluation, flag.definition, isMinimal)])
        }
      })
      // Not by assignment, because a key can be `__proto__`.
      return { flags: Object.fromEntries(flags), unresolved }
    },
  }
}
