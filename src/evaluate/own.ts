/** Whether the property is the object's own, though it be undefined. */
export const isOwn = (record: object, key: string): boolean => Object.prototype.hasOwnProperty.call(record, key)

/** The value of an object's own property: names that every object inherits, like `constructor`, are not there. */
export const ownOf = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  isOwn(record, key) ? record[key] : undefined
