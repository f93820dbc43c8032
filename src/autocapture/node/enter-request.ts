import type { RequestContext, RequestContexts } from '../../port/request-context.ts'
import { under } from './context-of-request.ts'

/** Of an agent, what middleware needs. */
export interface ContextVerbs {
  getContext(): RequestContext | undefined
  withContext<T>(context: RequestContext, task: () => T, options?: { readonly fresh?: boolean }): T
}

/** A request or a response of Node's kind. */
export interface Emitter {
  emit?(event: string | symbol, ...args: unknown[]): boolean
}

/** Runs the handling of a request, and what `emitters` tell of it later, in its context. */
export type EnterRequest = <T>(tell: () => RequestContext, emitters: readonly Emitter[], handle: () => T) => T

/**
 * A request's events come from its connection: those of a body that arrives late are in no context, and those of requests that wait in one
 * connection (pipelining) even in that of another request. So every event that does not happen within the request is brought back to it.
 *
 * @param marks Contexts of this middleware's own, which tell what happens within a request, whatever contexts the handlers lay over it.
 */
export const createEnterRequest =
  (verbs: ContextVerbs, marks: RequestContexts): EnterRequest =>
  (tell, emitters, handle) => {
    const context = under(verbs.getContext(), attempt(tell))
    const mark: RequestContext = {}
    const enter = <T>(task: () => T): T => marks.run(mark, () => verbs.withContext(context, task, { fresh: true }))
    for (const emitter of emitters) {
      const { emit } = emitter
      if (!emit) continue
      emitter.emit = (...args) => {
        const go = (): boolean => emit.apply(emitter, args)
        return marks.current() === mark ? go() : enter(go)
      }
    }
    return enter(handle)
  }

/** A request that cannot be read is handled all the same. */
const attempt = (tell: () => RequestContext): RequestContext => {
  try {
    return tell()
  } catch {
    return {}
  }
}
