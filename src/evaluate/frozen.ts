import type { Json } from '../wire/json.ts'

/** The same value, that nobody can write to any more, however deep it is nested. */
export const frozen = (value: Json): Json => {
  // Not by recursion: parsing JSON goes deeper than calls do.
  const waiting: Json[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()!
    if (typeof next !== 'object' || next === null) continue
    for (const part of Object.values(Object.freeze(next))) waiting.push(part)
  }
  return value
}
