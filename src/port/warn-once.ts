import type { Logger } from './logger.ts'

/**
 * Creates a function that warns of each problem once: a mistake in one call is often repeated in all calls. In debug mode the repetitions
 * are visible too.
 *
 * @param warned Problems that are not a warning, not even at first.
 */
export const createWarnOnce =
  (logger: Logger, warned: Set<string> = new Set()): ((problem: string, message: string, subject: unknown) => void) =>
  (problem, message, subject) => {
    logger[warned.has(problem) ? 'debug' : 'warn'](message, subject)
    warned.add(problem)
  }
