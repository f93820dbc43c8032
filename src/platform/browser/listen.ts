/**
 * Listens in the capture phase, so that a page that stops the event cannot hide it.
 *
 * @param target Undefined, or without events, where the platform has no such object: then nothing is heard.
 * @returns Ends it.
 */
export const listen = (target: unknown, type: string, listener: (event: never) => void): (() => void) => {
  const source = target as Partial<EventTarget> | undefined
  source?.addEventListener?.(type, listener as EventListener, true)
  return () => source?.removeEventListener?.(type, listener as EventListener, true)
}
