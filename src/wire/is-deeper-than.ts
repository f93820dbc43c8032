import { isRecord } from './json.ts'
import type { Json } from './json.ts'

/**
 * Whether a value has more than `levels` levels of objects and arrays, including itself. It runs for every event, so it allocates nothing.
 */
export const isDeeperThan = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (isRecord(value)) {
    for (const name in value) if (isDeeperThan(value[name]!, levels - 1)) return true
    return false
  }
  for (const inner of value) if (isDeeperThan(inner, levels - 1)) return true
  return false
}
