/** Calls a hook of the user that reports events, but not for events that the hook has captured itself: they would follow each other for ever. */
export interface HookCaptures {
  /** Call it with each event that is queued, as JSON. */
  note(json: string): void
  /** Calls the hook, unless it runs now, or has captured all of these events itself. @param call Must not throw. */
  run(events: readonly string[], call: () => void): void
  /** Call it when the events are not reported again. */
  forget(events: readonly string[]): void
}

export const createHookCaptures = (): HookCaptures => {
  const own = new Set<string>()
  let isRunning = false
  return {
    note(json) {
      if (isRunning) own.add(json)
    },
    run(events, call) {
      if (isRunning || events.every((json) => own.has(json))) return
      isRunning = true
      call()
      isRunning = false
    },
    forget(events) {
      if (own.size) for (const json of events) own.delete(json)
    },
  }
}
