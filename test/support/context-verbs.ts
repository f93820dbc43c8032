import type { EdgeVerbs } from '../../src/autocapture/server/edge-context.ts'
import { nodeContexts } from '../../src/platform/node/contexts.ts'
import type { RequestContexts } from '../../src/port/request-context.ts'

/** As much of an agent as middleware sees, over real contexts. */
export const contextVerbs = (contexts: RequestContexts = nodeContexts()): EdgeVerbs => ({
  getContext: contexts.current,
  withContext(context, task, { fresh } = {}) {
    const outer = fresh ? undefined : contexts.current()
    const properties = { ...outer?.properties, ...context.properties }
    return contexts.run({ ...outer, ...context, properties }, task)
  },
  flush: () => Promise.resolve(),
})
