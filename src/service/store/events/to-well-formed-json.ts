import type { Json } from '../../../wire/json.ts'

/**
 * Serializes a value as JSON that every store accepts. `JSON.stringify` writes a lone surrogate as an escape that strict JSON
 * parsers, such as DuckDB's, refuse; here it becomes U+FFFD, the replacement character.
 */
export const toWellFormedJson = (value: Json): string => {
  const json = JSON.stringify(value)
  // Surrogate pairs are not escaped, so `\ud` usually means a lone surrogate. The string `\ud` itself is serialized as
  // `\\ud` and also matches; the second serialization then changes nothing.
  return json.includes('\\ud') ? JSON.stringify(replaceLoneSurrogates(value)) : json
}

/** A string as every store keeps it: lone surrogates are U+FFFD, the replacement character. */
export const toWellFormed = (string: string): string => string.replace(/\p{Surrogate}/gu, '\uFFFD')

const replaceLoneSurrogates = (value: Json): Json => {
  if (typeof value === 'string') return toWellFormed(value)
  if (Array.isArray(value)) return value.map((item: Json) => replaceLoneSurrogates(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [toWellFormed(key), replaceLoneSurrogates(item)]),
  )
}
