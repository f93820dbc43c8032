/** Signals that ask a command to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Ends a command in two steps: at the first signal `tell` is called and `signal` aborts, at the second the process ends. */
export const onInterrupt = (tell: () => void): { readonly signal: AbortSignal; readonly end: () => void } => {
  const abort = new AbortController()
  const hear = (): void => {
    if (abort.signal.aborted) process.exit(130)
    abort.abort()
    tell()
  }
  for (const name of SIGNALS) process.on(name, hear)
  return {
    signal: abort.signal,
    end: () => {
      for (const name of SIGNALS) process.off(name, hear)
    },
  }
}
