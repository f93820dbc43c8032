/**
 * JSON of anything that a page hands over. What JSON cannot carry becomes a text in its place (`[Circular]`, `[BigInt 7]`,
 * `[Unreadable]` for a getter that throws), so that a bad property never costs the event.
 */
export function serialise(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(plain(() => value, []))
  }
}

function plain(read: () => unknown, ancestors: readonly unknown[]): unknown {
  try {
    const value = read()
    if (typeof value === 'bigint') return `[BigInt ${value}]`
    if (typeof value !== 'object' || value === null) return value
    if (ancestors.includes(value)) return '[Circular]'
    const within = [...ancestors, value]
    if (Array.isArray(value)) return value.map((item) => plain(() => item, within))
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return plain(() => (value as { toJSON(): unknown }).toJSON(), within)
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, plain(() => (value as Record<string, unknown>)[key], within)]),
    )
  } catch {
    return '[Unreadable]'
  }
}
