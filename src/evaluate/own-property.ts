/** Returns whether an object has an own property of this name, even with the value undefined. */
export const hasOwn = (record: object, key: string): boolean => Object.prototype.hasOwnProperty.call(record, key)

/** Returns an own property. Returns undefined for names that every object inherits, like `constructor`. */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  hasOwn(record, key) ? record[key] : undefined
