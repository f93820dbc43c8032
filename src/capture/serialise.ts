/** So many values are looked at: objects that all refer to each other have more paths than a page has time. */
const MOST_VALUES = 10_000

/** So deep, for the stack. */
const MOST_LEVELS = 500

/**
 * JSON of anything that a page hands over. What JSON cannot carry becomes a text in its place (`[Circular]`, `[BigInt 7]`, `[Unreadable]`
 * for a getter that throws, below 500 levels, and after 10,000 values for the rest), so that a bad property never costs the event.
 */
export const serialise = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    let left = MOST_VALUES
    const within = new Set<unknown>()

    const plain = (read: () => unknown): unknown => {
      try {
        const given = left-- > 0 && within.size < MOST_LEVELS ? read() : '[Unreadable]'
        if (typeof given === 'bigint') return `[BigInt ${given}]`
        if (typeof given !== 'object' || given === null) return given
        if (within.has(given)) return '[Circular]'
        within.add(given)
        try {
          if (Array.isArray(given)) return given.map((item) => plain(() => item))
          if ('toJSON' in given && typeof given.toJSON === 'function')
            return plain(() => (given as { toJSON(): unknown }).toJSON())
          return Object.fromEntries(
            Object.keys(given).map((key) => [key, plain(() => (given as Record<string, unknown>)[key])]),
          )
        } finally {
          within.delete(given)
        }
      } catch {
        return '[Unreadable]'
      }
    }
    return JSON.stringify(plain(() => value))
  }
}
