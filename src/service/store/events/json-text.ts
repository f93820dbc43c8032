import type { Json } from '../../../wire/json.ts'

/**
 * JSON text that every store accepts. `JSON.stringify` writes half a surrogate pair as an escape that strict JSON parsers
 * refuse, as does DuckDB's; it becomes U+FFFD, the replacement character.
 */
export const jsonText = (value: Json): string => {
  const text = JSON.stringify(value)
  // Whole pairs are written as they are, so such an escape is a half pair (or a backslash before `ud`: harmless).
  return text.includes('\\ud') ? JSON.stringify(wellFormed(value)) : text
}

const wellFormed = (value: Json): Json => {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\uFFFD')
  if (Array.isArray(value)) return value.map((item: Json) => wellFormed(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replace(/\p{Surrogate}/gu, '\uFFFD'), wellFormed(item)]),
  )
}
