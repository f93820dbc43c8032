/**
 * Wraps a call of the user's code, so that a call made while it runs does nothing: a callback may cause the next call of itself. An error
 * of the call passes through.
 */
export const skipNested = <Args extends readonly unknown[]>(
  call: (...args: Args) => void,
): ((...args: Args) => void) => {
  let isRunning = false
  return (...args) => {
    if (isRunning) return
    isRunning = true
    try {
      call(...args)
    } finally {
      isRunning = false
    }
  }
}
