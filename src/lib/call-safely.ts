import type { Logger } from '../port/logger.ts'

/** Calls a function of the user. An error becomes a warning. */
export const callSafely = ({ warn }: Logger, name: string, call: () => void): void => {
  try {
    call()
  } catch (error) {
    warn(`${name} failed:`, error)
  }
}
