import { isRecord } from './json.ts'
import type { Json } from './json.ts'

const { hasOwnProperty } = Object.prototype

/**
 * Whether a value has more than `levels` levels of objects and arrays, including itself. It runs for every event, so it allocates nothing.
 */
export const isDeeperThan = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (isRecord(value)) {
    for (const name in value) {
      const inner = value[name]!
      // Not a member that a page has added to all objects.
      if (typeof inner === 'object' && hasOwnProperty.call(value, name) && isDeeperThan(inner, levels - 1)) return true
    }
    return false
  }
  for (const inner of value) if (isDeeperThan(inner, levels - 1)) return true
  return false
}
