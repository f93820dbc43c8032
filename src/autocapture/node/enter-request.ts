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
 * Creates the function that runs a request in its context. The connection emits events of a request outside of any context if the body
 * arrives late. For pipelined requests it emits them in the context of another request. So `emit` is wrapped: it enters the request's
 * context unless it already runs in it.
 *
 * @param marks Separate contexts that tell which request runs. The agent's own contexts cannot tell it, because handlers may change them.
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

/** Returns an empty context when the request cannot be read. */
const readSafely = (readContext: () => RequestContext): RequestContext => {
  try {
    return readContext()
  } catch {
    return {}
  }
}
