// oxlint-disable no-console -- the only place where the agent writes to the console
import type { Logger } from '../../port/logger.ts'

const PREFIX = '[waymark]'

/** Writes to the console: warnings always, other messages only in debug mode. */
export interface ConsoleLogger extends Logger {
  /** Switches debug mode. */
  setDebug(isDebug: boolean): void
}

export const createLogger = (isDebug: boolean): ConsoleLogger => ({
  debug: (...message) => isDebug && console.debug(PREFIX, ...message),
  warn: (...message) => console.warn(PREFIX, ...message),
  setDebug: (value) => (isDebug = value),
})
