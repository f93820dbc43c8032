import type { CompiledFlag } from '../../evaluate/compiled-flag.ts'
import { evaluateFlag } from '../../evaluate/evaluate-flag.ts'
import type { Conclusive, EvaluationContext } from '../../evaluate/evaluation.ts'
import { isMeantFor } from '../../evaluate/is-meant-for.ts'
import type { FlagDefinition } from '../../wire/definition.ts'
import { toResolvedFlag } from '../to-resolved-flag.ts'
import type { ResolvedFlag } from '../local-flags.ts'
import type { LoadedDefinitions } from './definitions-loader.ts'

/** The flags that apply to servers and to this agent's evaluation contexts. */
export interface EvaluableFlags {
  readonly keys: readonly string[]
  /**
   * Evaluates a flag. `inconclusive`: only the service can evaluate it. Undefined: the flag does not apply to servers or to these contexts,
   * so the service would not return it either.
   */
  evaluate(key: string, context: EvaluationContext): ResolvedFlag | 'inconclusive' | undefined
}

/** @param contexts Evaluation contexts of this agent; see `isMeantFor`. Undefined: all flags match. */
export const createEvaluableFlags = (
  { definitions, compiled, loadedAt }: LoadedDefinitions,
  contexts: ReadonlySet<string> | undefined,
): EvaluableFlags => {
  const toFlag = memoize((evaluation, definition) => {
    const flag = toResolvedFlag(evaluation, definition, definitions.minimal_flag_called_events === true)
    return { ...flag, calledProperties: { ...flag.calledProperties, $feature_flag_definitions_loaded_at: loadedAt } }
  })
  const flags = new Map<string, CompiledFlag>()
  for (const [key, flag] of compiled.flags) if (isMeantFor(flag.definition, 'server', contexts)) flags.set(key, flag)

  return {
    keys: [...flags.keys()],
    evaluate(key, context) {
      const flag = flags.get(key)
      if (flag === undefined) return compiled.flags.has(key) ? undefined : 'inconclusive'
      const evaluation = evaluateFlag(flag, context)
      // The engine evaluates a missing group as off. The caller may have forgotten the group, and "off" would hide that.
      if (evaluation.value === undefined || evaluation.reason === 'no_group_type') return 'inconclusive'
      return toFlag(evaluation, flag.definition)
    },
  }
}

/** Caches by evaluation: each evaluation belongs to one flag and is created once, when the flag is compiled. */
const memoize = (create: (evaluation: Conclusive, definition: FlagDefinition) => ResolvedFlag): typeof create => {
  const cache = new WeakMap<Conclusive, ResolvedFlag>()
  return (evaluation, definition) => {
    let flag = cache.get(evaluation)
    if (flag === undefined) cache.set(evaluation, (flag = create(evaluation, definition)))
    return flag
  }
}
