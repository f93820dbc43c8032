/** Whom and what the running request is about. Every field may be missing; what a call is given wins over it. */
export interface RequestContext {
  readonly distinctId?: string | undefined
  readonly sessionId?: string | undefined
  /** Go along with each event, weaker than the caller's. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined
}

/** Carries a request's context along its way, through everything that is awaited. */
export interface RequestContexts {
  /** That of the running request; undefined outside of any. */
  current(): RequestContext | undefined
  /** Runs `task` within a context; what it begins keeps it. */
  run<T>(context: RequestContext, task: () => T): T
}
