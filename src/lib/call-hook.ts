/*
 * A function of the user may cause its own next call: by an event that it captures, or by flags that it loads. That would have no end, so such
 * a call is left out. One for all agents, because a function may serve several.
 */

const running = new Set<unknown>()

/** The functions that ran when an event was captured, by the event's JSON. */
const causes = new Map<string, ReadonlySet<unknown>>()

export const isRunning = (hook: unknown): boolean => running.has(hook)

/**
 * Calls a function of the user, unless it runs now, or reports only events that it has captured itself. An error passes through.
 *
 * @param hook What tells the function from others.
 * @param events The events that are reported, as JSON. Default: the call reports no events.
 */
export const callHook = <Result>(hook: unknown, call: () => Result, events?: readonly string[]): Result | undefined => {
  if (isRunning(hook) || events?.every((json) => causes.get(json)?.has(hook))) return undefined
  running.add(hook)
  try {
    return call()
  } finally {
    running.delete(hook)
  }
}

/** Call it with each event that is queued, as JSON. */
export const noteCauses = (json: string): void => {
  if (running.size) causes.set(json, new Set(running))
}

/** Call it when the events are not reported again. */
export const forgetCauses = (events: readonly string[]): void => events.forEach((json) => causes.delete(json))
