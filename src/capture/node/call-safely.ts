/**
 * Calls a callback of the user and passes its errors to `onError`. The callback may be async: an unhandled rejection would end the process.
 */
export const callSafely = (callback: () => unknown, onError: (error: unknown) => void): void => {
  try {
    const result = callback()
    if (result) Promise.resolve(result).catch(onError)
  } catch (error) {
    onError(error)
  }
}
