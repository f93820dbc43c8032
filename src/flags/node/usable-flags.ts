import type { CompiledFlag } from '../../evaluate/compiled-flag.ts'
import { evaluateFlag } from '../../evaluate/evaluate-flag.ts'
import type { Conclusive, EvaluationContext } from '../../evaluate/evaluation.ts'
import { isMeantFor } from '../../evaluate/is-meant-for.ts'
import type { FlagDefinition } from '../../wire/definition.ts'
import { knownFlag } from '../known-flag.ts'
import type { KnownFlag } from '../local-flags.ts'
import type { LoadedDefinitions } from './definitions-loader.ts'

/** The flags of a set of definitions that are meant for servers, and for the contexts that this one is. */
export interface UsableFlags {
  readonly keys: readonly string[]
  /**
   * A flag, evaluated here. `ask`: only the service can tell. Undefined: it is not meant for this place, as the service would say, too.
   */
  read(key: string, context: EvaluationContext): KnownFlag | 'ask' | undefined
}

/** @param contexts See `isMeantFor`. */
export const usableFlags = (
  { definitions, set, loadedAt }: LoadedDefinitions,
  contexts: ReadonlySet<string> | undefined,
): UsableFlags => {
  const known = onceForEach((evaluation, definition) => {
    const flag = knownFlag(evaluation, definition, definitions.minimal_flag_called_events === true)
    return { ...flag, called: { ...flag.called, $feature_flag_definitions_loaded_at: loadedAt } }
  })
  const usable = new Map<string, CompiledFlag>()
  for (const [key, flag] of set.flags) if (isMeantFor(flag.definition, 'server', contexts)) usable.set(key, flag)

  return {
    keys: [...usable.keys()],
    read(key, context) {
      const flag = usable.get(key)
      if (flag === undefined) return set.flags.has(key) ? undefined : 'ask'
      const evaluation = evaluateFlag(flag, context)
      // The engine says off. A group that was not given may have been forgotten, and an "off" would hide that.
      if (evaluation.value === undefined || evaluation.reason === 'no_group_type') return 'ask'
      return known(evaluation, flag.definition)
    },
  }
}

/** Remembers what `make` makes of a result, each of which belongs to one flag and is made when that is compiled. */
const onceForEach = (make: (evaluation: Conclusive, definition: FlagDefinition) => KnownFlag): typeof make => {
  const made = new WeakMap<Conclusive, KnownFlag>()
  return (evaluation, definition) => {
    let flag = made.get(evaluation)
    if (flag === undefined) made.set(evaluation, (flag = make(evaluation, definition)))
    return flag
  }
}
