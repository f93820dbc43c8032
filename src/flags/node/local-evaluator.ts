import { keepProcessAlive } from '../../lib/keep-process-alive.ts'
import type { LoadedDefinitions } from './definitions-loader.ts'
import type { NodeFlagsOptions } from './node-flags-options.ts'
import type { NodeFlagsPorts } from './node-flags-ports.ts'
import { createEvaluableFlags } from './evaluable-flags.ts'
import type { EvaluableFlags } from './evaluable-flags.ts'

/** Provides the flags that this process can evaluate, compiled from the loaded definitions. */
export interface LocalEvaluator {
  /** Resolves when the first load ends or times out; reads wait for it. Undefined if there is nothing to wait for. */
  waitForFirstLoad(): Promise<void> | undefined
  /** Undefined while no definitions are loaded. */
  currentFlags(): EvaluableFlags | undefined
}

export const createLocalEvaluator = (
  options: Pick<NodeFlagsOptions, 'evaluationContexts' | 'featureFlagsRequestTimeoutMs'>,
  { definitions, keepAlive }: Pick<NodeFlagsPorts, 'definitions' | 'keepAlive'>,
): LocalEvaluator => {
  const contexts = options.evaluationContexts?.length ? new Set(options.evaluationContexts) : undefined
  /** Shared by all reads, so that together they wait for one timeout only. */
  let firstLoad: Promise<void> | undefined
  let cached: { readonly loaded: LoadedDefinitions; readonly flags: EvaluableFlags } | undefined
  return {
    waitForFirstLoad: () =>
      definitions && !definitions.current()
        ? (firstLoad ??= keepProcessAlive(
            keepAlive,
            definitions.waitForFirstLoad(options.featureFlagsRequestTimeoutMs),
          ))
        : undefined,
    currentFlags() {
      const loaded = definitions?.current()
      if (!loaded) return undefined
      if (cached?.loaded !== loaded) cached = { loaded, flags: createEvaluableFlags(loaded, contexts) }
      return cached.flags
    },
  }
}
