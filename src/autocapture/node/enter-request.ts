import type { RequestContext, RequestContexts } from '../../port/request-context.ts'
import { mergeOuterContext } from './read-request-context.ts'

/** The agent's methods that middleware needs. */
export interface ContextVerbs {
  getContext(): RequestContext | undefined
  withContext<T>(context: RequestContext, task: () => T, options?: { readonly fresh?: boolean }): T
}

/** A request or response of Node. */
export interface Emitter {
  emit?(event: string | symbol, ...args: unknown[]): boolean
}

/** Runs `handle`, and later listeners of `emitters`, in the context of the request. */
export type EnterRequest = <T>(readContext: () => RequestContext, emitters: readonly Emitter[], handle: () => T) => T

/**
 * Requests emit their events from the connection: outside of any context for a late body, and in the context of another request for
 * pipelined requests. So an event that is not emitted inside the request enters its context again.
 *
 * @param marks Separate contexts that mark the request, because handlers may set other contexts of the agent.
 */
export const createEnterRequest =
  (verbs: ContextVerbs, marks: RequestContexts): EnterRequest =>
  (readContext, emitters, handle) => {
    const context = mergeOuterContext(verbs.getContext(), readSafely(readContext))
    const mark: RequestContext = {}
    const enter = <T>(task: () => T): T => marks.run(mark, () => verbs.withContext(context, task, { fresh: true }))
    for (const emitter of emitters) {
      const { emit } = emitter
      if (!emit) continue
      emitter.emit = (...args) => {
        const emitEvent = (): boolean => emit.apply(emitter, args)
        return marks.current() === mark ? emitEvent() : enter(emitEvent)
      }
    }
    return enter(handle)
  }

/** An unreadable request is handled with an empty context. */
const readSafely = (readContext: () => RequestContext): RequestContext => {
  try {
    return readContext()
  } catch {
    return {}
  }
}
