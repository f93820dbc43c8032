import type { LoadedDefinitions } from './definitions-loader.ts'
import type { NodeFlagsOptions } from './flags-options.ts'
import type { NodeFlagsPorts } from './flags-ports.ts'
import { held } from './held.ts'
import { usableFlags } from './usable-flags.ts'
import type { UsableFlags } from './usable-flags.ts'

/** The definitions at hand, as far as they are meant for this place. */
export interface LocalReader {
  /** To be awaited before the first read: ends with the first load, or its time. Undefined when there is nothing to wait for. */
  firstLoad(): Promise<void> | undefined
  /** Undefined while there are no definitions. */
  inUse(): UsableFlags | undefined
}

export const createLocalReader = (
  options: Pick<NodeFlagsOptions, 'evaluationContexts' | 'featureFlagsRequestTimeoutMs'>,
  { definitions, hold }: Pick<NodeFlagsPorts, 'definitions' | 'hold'>,
): LocalReader => {
  const contexts = options.evaluationContexts?.length ? new Set(options.evaluationContexts) : undefined
  /** One wait for all reads, which none of them makes longer. */
  let wait: Promise<void> | undefined
  let last: { readonly loaded: LoadedDefinitions; readonly usable: UsableFlags } | undefined
  return {
    firstLoad: () =>
      definitions && !definitions.current()
        ? (wait ??= held(hold, definitions.firstLoad(options.featureFlagsRequestTimeoutMs)))
        : undefined,
    inUse() {
      const loaded = definitions?.current()
      if (!loaded) return undefined
      if (last?.loaded !== loaded) last = { loaded, usable: usableFlags(loaded, contexts) }
      return last.usable
    },
  }
}
