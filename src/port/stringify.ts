/** `JSON.stringify`, also where Prototype.js before 1.7 gives arrays and dates a `toJSON` that returns a string. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, 'toJSON' in Array.prototype ? restoreBuiltIns : undefined)

/** A replacer: ignores what `toJSON` has made of arrays and dates. An invalid date is null, as in any JSON. */
const restoreBuiltIns = function (this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const original = this[name]
  if (original instanceof Date) return isNaN(+original) ? null : original.toISOString()
  return Array.isArray(original) ? original : value
}
