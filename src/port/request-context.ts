import type { Id } from '../wire/id-to-string.ts'

/** The user, session and properties of the current request. Every field is optional; a call's own arguments win. */
export interface RequestContext {
  readonly distinctId?: Id | undefined
  readonly sessionId?: string | undefined
  /** Added to each event; properties of the call win. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined
}

/** Gives each request a context that stays across its asynchronous work. */
export interface RequestContexts {
  /** The context of the current request; undefined outside of requests. */
  current(): RequestContext | undefined
  /** Runs `task` in a context. Asynchronous work that the task starts has the same context. */
  run<T>(context: RequestContext, task: () => T): T
}
