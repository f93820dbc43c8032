type Verbs = Record<string, (...args: unknown[]) => unknown>

/**
 * The same verbs, but none throws into the host page: what goes wrong inside is a warning, and the answer is undefined. An
 * argument that is null counts as not given, so that defaults stand in for it.
 */
export function guarded<T extends { [K in keyof T]: (...args: never[]) => unknown }>(
  verbs: T,
  warn: (...message: unknown[]) => void,
): T {
  const safe: Verbs = {}
  for (const [name, verb] of Object.entries(verbs as unknown as Verbs))
    safe[name] = (...args) => {
      try {
        return verb(...args.map((arg) => arg ?? undefined))
      } catch (error) {
        warn(`${name}() failed:`, error)
        return undefined
      }
    }
  return safe as unknown as T
}
