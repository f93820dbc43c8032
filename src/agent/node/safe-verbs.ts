import type { Logger } from '../../port/logger.ts'
import type { Waymark } from './waymark.ts'

type Methods = Record<string, (...args: readonly unknown[]) => unknown>

/** Not wrapped: `capture` catches its own errors and must be fast; errors of `withContext` belong to the caller's task. */
const UNWRAPPED: readonly (keyof Waymark)[] = ['capture', 'withContext']

/**
 * Wraps methods so that they never throw or reject: an error is logged, and the result of the same method of `idle` is returned. A
 * null argument becomes undefined, so that parameter defaults apply.
 *
 * @param idle An agent that does nothing.
 */
export const createSafeVerbs = (verbs: Waymark, idle: Waymark, { warn }: Logger): Waymark => {
  const methods = verbs as unknown as Methods
  const fallbacks = idle as unknown as Methods
  const safe: Methods = {}
  for (const name of Object.keys(verbs)) {
    const onError = (args: readonly unknown[], error: unknown): unknown => {
      warn(`${name}() failed:`, error)
      return fallbacks[name]!(...args)
    }
    safe[name] = (...args) => {
      const argsWithoutNull = args.map((arg) => arg ?? undefined)
      try {
        const result = methods[name]!(...argsWithoutNull)
        return result instanceof Promise ? result.catch((error: unknown) => onError(argsWithoutNull, error)) : result
      } catch (error) {
        return onError(argsWithoutNull, error)
      }
    }
  }
  for (const name of UNWRAPPED) safe[name] = methods[name]!
  return safe as unknown as Waymark
}
