import type { Logger } from '../../port/logger.ts'
import type { Waymark } from './waymark.ts'

type Verbs = Record<string, (...args: readonly unknown[]) => unknown>

/** Verbs that look after themselves: the hot one, and the one whose exceptions are the caller's own. */
const AS_THEY_ARE: readonly (keyof Waymark)[] = ['capture', 'withContext']

/**
 * Verbs that never throw into the host, nor reject: what goes wrong inside is a warning, and the answer is the idle agent's. An argument that is
 * null counts as not given, so that defaults stand in for it.
 */
export const safeVerbs = (verbs: Waymark, idle: Waymark, { warn }: Logger): Waymark => {
  const given = verbs as unknown as Verbs
  const spare = idle as unknown as Verbs
  const safe: Verbs = {}
  for (const name of Object.keys(verbs)) {
    const failed = (args: readonly unknown[], error: unknown): unknown => {
      warn(`${name}() failed:`, error)
      return spare[name]!(...args)
    }
    safe[name] = (...args) => {
      const known = args.map((arg) => arg ?? undefined)
      try {
        const answer = given[name]!(...known)
        return answer instanceof Promise ? answer.catch((error: unknown) => failed(known, error)) : answer
      } catch (error) {
        return failed(known, error)
      }
    }
  }
  for (const name of AS_THEY_ARE) safe[name] = given[name]!
  return safe as unknown as Waymark
}
