// oxlint-disable no-console -- the only place where the agent writes to the console
import type { Logger } from '../../port/logger.ts'

const PREFIX = '[waymark]'

/**
 * Writes to the console: warnings always, other messages only in debug mode.
 *
 * @param isDebug Called for each message, because debug mode can be switched at run time.
 */
export const createLogger = (isDebug: () => boolean): Logger => ({
  debug: (...message) => isDebug() && console.debug(PREFIX, ...message),
  warn: (...message) => console.warn(PREFIX, ...message),
})
