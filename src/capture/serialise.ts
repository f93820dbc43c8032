import { stringify } from '../port/stringify.ts'
import { tryOr } from '../port/try-or.ts'

const UNREADABLE = '[Unreadable]'

/** What `serialise` looks at in an object. */
type Source = Readonly<Record<string, unknown>> & { toJSON?(): unknown }

/** Maximum values to visit. An object is visited once per path, and the number of paths between linked objects grows exponentially. */
const MAX_VALUES = 10_000

/** Maximum nesting to visit: the function calls itself for each level, and the stack is limited. */
const MAX_LEVELS = 500

/**
 * Returns the JSON of any value, so that a bad property never loses the event. If `JSON.stringify` throws, a string replaces each value
 * that JSON cannot represent: `[Circular]`, `[BigInt 7]` or `[Unreadable]`. Unreadable are getters that throw, everything below
 * `MAX_LEVELS`, and everything after `MAX_VALUES`.
 */
export const serialise = (value: unknown): string => {
  try {
    return stringify(value)
  } catch {
    let remaining = MAX_VALUES
    const ancestors = new Set<unknown>()

    const toPlain = (readValue: () => unknown): unknown =>
      tryOr(() => {
        const original = remaining-- > 0 && ancestors.size < MAX_LEVELS ? readValue() : UNREADABLE
        if (typeof original === 'bigint') return `[BigInt ${original}]`
        if (typeof original !== 'object' || !original) return original
        if (ancestors.has(original)) return '[Circular]'
        ancestors.add(original)
        const plain = tryOr(() => copy(original as Source), UNREADABLE)
        ancestors.delete(original)
        return plain
      }, UNREADABLE)
    const copy = (original: Source): unknown => {
      if (Array.isArray(original)) return original.map((item) => toPlain(() => item))
      if (typeof original.toJSON === 'function') return toPlain(() => original.toJSON!())
      return Object.fromEntries(Object.keys(original).map((key) => [key, toPlain(() => original[key])]))
    }
    return stringify(toPlain(() => value))
  }
}

/** Copies a value by its JSON. */
export const copyByJson = <T>(value: T): T => JSON.parse(serialise(value)) as T
