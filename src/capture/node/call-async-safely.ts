import type { Logger } from '../../port/logger.ts'

/** Calls a callback of the user, which may be async: an unhandled rejection would end the process. An error becomes a warning. */
export const callAsyncSafely = ({ warn }: Logger, name: string, call: () => unknown): void => {
  const onError = (error: unknown): void => warn(`${name} failed:`, error)
  try {
    const result = call()
    if (result) Promise.resolve(result).catch(onError)
  } catch (error) {
    onError(error)
  }
}
