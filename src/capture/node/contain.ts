/**
 * Calls back into the host, whose failures are told and go no further. The callback may be an async function: a promise that rejects, and that
 * nobody looks at, would end a server's process.
 */
export const contain = (callback: () => unknown, onError: (error: unknown) => void): void => {
  try {
    const answer = callback()
    if (answer) Promise.resolve(answer).catch(onError)
  } catch (error) {
    onError(error)
  }
}
