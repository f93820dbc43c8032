/** Tags of the objects whose JSON says nothing, or little: maps, sets, and errors of any kind. */
const HIDING_TAG = / (Map|Set)]$|Error|Exception/

const matchTag = (value: object): RegExpExecArray | null => HIDING_TAG.exec({}.toString.call(value))

/** Whether a value is or contains an error, a map or a set, of which JSON would say little. */
export const hidesValues = (value: unknown): boolean =>
  typeof value === 'object' &&
  !!value &&
  // With this method, a class decides itself what its JSON says. Prototype.js gives it to arrays.
  (Array.isArray(value) || typeof (value as { toJSON?: unknown }).toJSON !== 'function') &&
  (!!matchTag(value) || Object.values(value).some(hidesValues))

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
