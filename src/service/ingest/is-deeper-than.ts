import type { Json } from '../../wire/json.ts'

/** Whether a value has more levels of objects and arrays than these, itself counted. */
export const isDeeperThan = (value: Json, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1)))
