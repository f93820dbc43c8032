/** Signals that ask a process to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Ends a command in two steps. The first SIGINT or SIGTERM aborts `signal` and calls `onStop`; the second one ends the process.
 *
 * @returns The signal, and a function that removes the handlers.
 */
export const handleInterrupts = (
  onStop: () => void,
): { readonly signal: AbortSignal; readonly removeHandlers: () => void } => {
  const abortController = new AbortController()
  const handleSignal = (): void => {
    if (abortController.signal.aborted) process.exit(130)
    abortController.abort()
    onStop()
  }
  for (const name of SIGNALS) process.on(name, handleSignal)
  return {
    signal: abortController.signal,
    removeHandlers: () => {
      for (const name of SIGNALS) process.off(name, handleSignal)
    },
  }
}
