/** `JSON.stringify`, also where Prototype.js before 1.7 gives arrays and dates a `toJSON` that returns a string. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, hasForeignToJson() ? restoreBuiltIns : undefined)

/** Whether arrays and dates have the `toJSON` of Prototype.js. */
export const hasForeignToJson = (): boolean => 'toJSON' in Array.prototype

/** A replacer: ignores what `toJSON` has made of arrays and dates. An invalid date is null, as in any JSON. */
export const restoreBuiltIns = function (
  this: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): unknown {
  const original = this[name]
  if (original instanceof Date) return isNaN(+original) ? null : original.toISOString()
  return Array.isArray(original) ? original : value
}
