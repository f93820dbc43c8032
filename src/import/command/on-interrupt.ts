/** Signals that ask a command to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Ends a command in two steps. The first signal aborts `signal` and calls `onStop`; the second one ends the process.
 *
 * @returns `end` removes the handlers.
 */
export const onInterrupt = (onStop: () => void): { readonly signal: AbortSignal; readonly end: () => void } => {
  const abort = new AbortController()
  const handleSignal = (): void => {
    if (abort.signal.aborted) process.exit(130)
    abort.abort()
    onStop()
  }
  for (const name of SIGNALS) process.on(name, handleSignal)
  return {
    signal: abort.signal,
    end: () => {
      for (const name of SIGNALS) process.off(name, handleSignal)
    },
  }
}
