import type { Logger } from '../port/logger.ts'

/**
 * Creates a function that warns of each problem once: a mistake in one call is often repeated in all calls. In debug mode the repetitions
 * are visible too.
 */
export const createWarnOnce = (logger: Logger): ((problem: string, message: string, subject: unknown) => void) => {
  const warned = new Set<string>()
  return (problem, message, subject) => {
    if (warned.has(problem)) logger.debug('repeated', message, subject)
    else logger.warn(message, subject)
    warned.add(problem)
  }
}
