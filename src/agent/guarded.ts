type Verbs = Record<string, (...args: unknown[]) => unknown>

/**
 * Verbs that make their real ones at the first call. None throws into the host page: what goes wrong inside is a warning, and the
 * answer is undefined. An argument that is null counts as not given, so that defaults stand in for it.
 *
 * @param verbs Asked at each call.
 * @param refusal Why a call must not be made; undefined when it may.
 */
export const guarded = <T extends { [K in keyof T]: (...args: never[]) => unknown }>(
  names: readonly (keyof T & string)[],
  verbs: () => T,
  warn: (...message: unknown[]) => void,
  refusal: (verb: keyof T & string, args: readonly unknown[]) => string | undefined,
): T => {
  const safe: Verbs = {}
  for (const name of names)
    safe[name] = (...args) => {
      try {
        const reason = refusal(name, args)
        if (!reason) return (verbs() as unknown as Verbs)[name]!(...args.map((arg) => arg ?? undefined))
        warn(`${name}() refused: ${reason}`)
      } catch (error) {
        warn(`${name}() failed:`, error)
      }
      return undefined
    }
  return safe as unknown as T
}
