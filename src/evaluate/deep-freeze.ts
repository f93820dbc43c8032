import type { Json } from '../wire/json.ts'

/** Freezes a value and everything in it. Returns the same value. */
export const deepFreeze = (value: Json): Json => {
  // Not recursive: JSON.parse accepts deeper nesting than the call stack does.
  const pending: Json[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()!
    if (typeof next !== 'object' || next === null) continue
    for (const child of Object.values(Object.freeze(next))) pending.push(child)
  }
  return value
}
