/** Maximum values that are visited: objects that all refer to each other have more paths than a page has time for. */
const MAX_VALUES = 10_000

/** Maximum levels that are visited, for the stack. */
const MAX_LEVELS = 500

/**
 * Returns the JSON of any value, so that a bad property never loses the event. What JSON cannot carry becomes a string: `[Circular]`,
 * `[BigInt 7]` or `[Unreadable]`. Unreadable are getters that throw, everything below 500 levels, and everything after 10,000 values.
 */
export const serialise = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    let remaining = MAX_VALUES
    const ancestors = new Set<unknown>()

    const toPlain = (read: () => unknown): unknown => {
      try {
        const current = remaining-- > 0 && ancestors.size < MAX_LEVELS ? read() : '[Unreadable]'
        if (typeof current === 'bigint') return `[BigInt ${current}]`
        if (typeof current !== 'object' || current === null) return current
        if (ancestors.has(current)) return '[Circular]'
        ancestors.add(current)
        try {
          if (Array.isArray(current)) return current.map((item) => toPlain(() => item))
          if ('toJSON' in current && typeof current.toJSON === 'function')
            return toPlain(() => (current as { toJSON(): unknown }).toJSON())
          return Object.fromEntries(
            Object.keys(current).map((key) => [key, toPlain(() => (current as Record<string, unknown>)[key])]),
          )
        } finally {
          ancestors.delete(current)
        }
      } catch {
        return '[Unreadable]'
      }
    }
    return JSON.stringify(toPlain(() => value))
  }
}
