import { openParts } from '../agent/parts.ts'
import type { Parts, VerbsOf } from '../agent/parts.ts'
import { createLogger } from '../platform/web/logger.ts'
import { loadDescriber } from './load-describer.ts'

/**
 * Gives an agent the verbs of parts that it lacks, because the first `init` of the page was that of an entry or a script with fewer parts.
 * They do nothing but warn, so that no call throws.
 */
export const addMissingVerbs = <P extends Parts>(agent: VerbsOf<P>, parts: P): VerbsOf<P> => {
  const { flags, surveys } = openParts(parts)
  const verbs = agent as unknown as Record<string, unknown>
  for (const verb of Object.keys({ ...flags?.table, ...surveys?.table }))
    verbs[verb] ??= () => createLogger(loadDescriber).warn('no parts:', verb)
  return agent
}
