// oxlint-disable no-console -- the one place where the agent speaks
import type { Logger } from '../../port/logger.ts'

const PREFIX = '[waymark]'

/**
 * Speaks on the console: warnings always, the rest only while `isDebug` says so.
 *
 * @param isDebug Asked at each message, so that it can be switched at run time.
 */
export const createLogger = (isDebug: () => boolean): Logger => ({
  debug: (...message) => isDebug() && console.debug(PREFIX, ...message),
  warn: (...message) => console.warn(PREFIX, ...message),
})
