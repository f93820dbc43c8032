type Verbs = Record<string, (...args: never[]) => unknown>

/** The same verbs, but none throws into the host page: what goes wrong inside is a warning, and the answer is undefined. */
export function guarded<T extends { [K in keyof T]: (...args: never[]) => unknown }>(
  verbs: T,
  warn: (...message: unknown[]) => void,
): T {
  const safe = (name: string, verb: Verbs[string]): Verbs[string] => {
    return (...args) => {
      try {
        return verb(...args)
      } catch (error) {
        warn(`${name}() failed:`, error)
        return undefined
      }
    }
  }
  return Object.fromEntries(
    Object.entries(verbs as Verbs).map(([name, verb]) => [name, safe(name, verb)]),
  ) as unknown as T
}
