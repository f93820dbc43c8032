import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestContext, RequestContexts } from '../../port/request-context.ts'

/**
 * One for all agents of the process: Node 20 never forgets a storage that was used, and each one makes all asynchronous work slower. The map holds
 * each agent's own context, so that agents do not see each other's.
 */
const storage = new AsyncLocalStorage<ReadonlyMap<RequestContexts, RequestContext>>()

/** The contexts of one agent. They follow promises, timers and whatever else Node begins on the way. */
export const nodeContexts = (): RequestContexts => {
  const contexts: RequestContexts = {
    current: () => storage.getStore()?.get(contexts),
    run: (context, task) => storage.run(new Map(storage.getStore()).set(contexts, context), task),
  }
  return contexts
}
