import { hasForeignToJson, restoreBuiltIns } from '../lib/stringify.ts'
import { MAX_EVENT_BYTES } from '../wire/bounds.ts'

/** Tags of the objects whose JSON says nothing, or little: maps, sets, and errors of any kind. */
const HIDING_TAG = / (Map|Set)]$|Error|Exception/

const matchTag = (value: object): RegExpExecArray | null => HIDING_TAG.exec({}.toString.call(value))

/** Whether a value is or contains an error, a map or a set, of which JSON would say little. Runs for many events, so it copies nothing. */
export const hidesValues = (value: unknown): boolean => {
  if (typeof value !== 'object' || !value) return false
  if (Array.isArray(value)) return value.some(hidesValues)
  // With this method, a class decides itself what its JSON says.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false
  if (Object.getPrototypeOf(value) !== Object.prototype && matchTag(value)) return true
  for (const key in value) if (hidesValues(value[key as never])) return true
  return false
}

/**
 * Returns what an error, a map or a set says, in a form that JSON keeps: an error as an object with its name, message and cause, a set as a
 * list, and a map as an object, or as a list of pairs if a key is an object. Other objects are returned as they are.
 */
export const reveal = (value: object): object => {
  const match = matchTag(value)
  if (!match) return value
  if (!match[1]) {
    // These members cannot be enumerated.
    const { name, message, cause, errors } = value as Readonly<Record<string, unknown>>
    return { name, message, cause, errors, ...value }
  }
  const items = [...(value as Iterable<readonly [unknown, unknown]>)]
  return match[1] === 'Set' || items.some(([key]) => Object(key) === key) ? items : Object.fromEntries(items)
}

/**
 * Creates a replacer for one `JSON.stringify`, with which errors, maps and sets keep what they say. It throws when the JSON would be longer
 * than an event may be: the paths between maps, and so the time, can be endless.
 */
export const createRevealer = (): ((
  this: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
) => unknown) => {
  // `JSON.stringify` finds a cycle because an object is always replaced by the same copy.
  const copies = new Map<object, object>()
  let remaining = MAX_EVENT_BYTES
  return function (name, value) {
    if (!remaining--) throw new RangeError('too many values')
    const original = hasForeignToJson() ? restoreBuiltIns.call(this, name, value) : value
    if (typeof original !== 'object' || !original) return original
    const copy = copies.get(original) ?? reveal(original)
    copies.set(original, copy)
    return copy
  }
}
