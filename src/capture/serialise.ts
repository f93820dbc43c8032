import { stringify } from '../lib/stringify.ts'
import { tryOr } from '../lib/try-or.ts'
import { MAX_EVENT_LEVELS } from '../wire/bounds.ts'
import { createRevealer, hidesValues, reveal } from './reveal.ts'

const UNREADABLE = '[Unreadable]'

/** What `serialise` looks at in an object. */
type Source = Readonly<Record<string, unknown>> & { toJSON?(): unknown }

/** Maximum values to visit. An object is visited once per path, and the number of paths between linked objects grows exponentially. */
const MAX_VALUES = 10_000

/**
 * Returns the JSON of any value, so that a bad property never loses the event, nor itself. Errors, maps and sets inside keep what they say.
 * If `JSON.stringify` throws, a copy is written, with a string in place of what JSON cannot represent: `[Circular]`, `[Unreadable]`, the
 * digits of a BigInt. Unreadable are getters that throw, everything below `MAX_EVENT_LEVELS`, and everything after `MAX_VALUES`.
 *
 * @param isEvent The value is a plain object with plain `properties`: most events have no other object, so there is nothing to look at.
 */
export const serialise = (value: unknown, isEvent?: boolean): string => {
  try {
    const json = stringify(value)
    return json.indexOf('{', isEvent ? json.indexOf('{', 1) + 1 : 1) > 0 && hidesValues(value)
      ? JSON.stringify(value, createRevealer())
      : json
  } catch {
    return stringify(toPlain(value))
  }
}

/** Copies a value by its JSON. */
export const copyByJson = <T>(value: T): T => JSON.parse(serialise(value)) as T

/** Copies what can be read of a value, in a form that JSON represents. */
const toPlain = (value: unknown): unknown => {
  let remaining = MAX_VALUES
  const ancestors = new Set<unknown>()

  const read = (readValue: () => unknown): unknown =>
    tryOr(() => {
      const original = remaining-- > 0 && ancestors.size < MAX_EVENT_LEVELS ? readValue() : UNREADABLE
      if (typeof original === 'bigint') return String(original)
      if (typeof original !== 'object' || !original) return original
      if (ancestors.has(original)) return '[Circular]'
      ancestors.add(original)
      const plain = tryOr(() => copy(original as Source), UNREADABLE)
      ancestors.delete(original)
      return plain
    }, UNREADABLE)
  const copy = (original: Source): unknown => {
    // Prototype.js gives arrays and dates a `toJSON`, too.
    if (original instanceof Date) return JSON.parse(stringify(original))
    if (!Array.isArray(original) && typeof original.toJSON === 'function') return read(() => original.toJSON!())
    const source = reveal(original) as Source
    return Array.isArray(source)
      ? source.map((item: unknown) => read(() => item))
      : Object.fromEntries(Object.keys(source).map((key) => [key, read(() => source[key])]))
  }
  return read(() => value)
}
