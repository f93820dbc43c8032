import type { Json } from '../wire/json.ts'

/** Freezes a value and all values nested in it. Returns the same value. */
export const deepFreeze = (value: Json): Json => {
  // Not recursive: JSON.parse accepts deeper nesting than the call stack does.
  const pendingValues: Json[] = [value]
  while (pendingValues.length > 0) {
    const current = pendingValues.pop()!
    if (typeof current !== 'object' || current === null) continue
    for (const child of Object.values(Object.freeze(current))) pendingValues.push(child)
  }
  return value
}
