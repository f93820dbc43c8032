/**
 * Adds a listener in the capture phase, so that a page that stops the event's propagation cannot hide it.
 *
 * @param target Undefined, or not an event target, where the platform lacks the object; then the listener is never called.
 * @returns Removes the listener.
 */
export const listen = (target: unknown, type: string, listener: (event: never) => void): (() => void) => {
  const source = target as Partial<EventTarget> | undefined
  source?.addEventListener?.(type, listener as EventListener, true)
  return () => source?.removeEventListener?.(type, listener as EventListener, true)
}
