/** `record[key]`, of its own only: flag keys are user texts, and `constructor` must not find what every object has. */
export const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.prototype.hasOwnProperty.call(record, key) ? record[key] : undefined
