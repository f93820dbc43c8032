import { tryOr } from '../../lib/try-or.ts'

/**
 * Adds a listener in the capture phase, so that a page that stops the event's propagation cannot hide it.
 *
 * @param target Undefined, or not an event target, where the platform lacks the object or the page has another one of its name; then the
 *   listener is never called.
 * @returns Removes the listener.
 */
export const listen = (target: unknown, type: string, listener: (event: never) => void): (() => void) => {
  const call = (method: 'addEventListener' | 'removeEventListener'): void =>
    tryOr(() => (target as Partial<EventTarget> | undefined)?.[method]?.(type, listener as EventListener, true))
  call('addEventListener')
  return () => call('removeEventListener')
}
