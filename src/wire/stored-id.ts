import type { Json } from './json.ts'

/**
 * Returns an id in a form that the databases store unchanged: the stored id must equal the id of a later query. Numbers become strings, NUL
 * is removed, and U+FFFD replaces lone surrogates. Null for any other type, for fractions, and for numbers beyond 2^53. JSON parsers round
 * such numbers, which would merge different users or groups.
 */
export const sanitizeId = (id: unknown): string | null => {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : null
  if (typeof id !== 'string') return null
  return (id.includes('\0') ? id.split('\0').join('') : id).replace(/\p{Surrogate}/gu, '\uFFFD')
}

/**
 * Returns an id in its stored form. Null when the id is unusable: blank after sanitizing, an unsafe number, or of another type. Numbers are
 * accepted because callers often pass database ids.
 */
export const toStoredId = (rawId: Json | undefined): string | null => {
  const id = sanitizeId(rawId)
  return id === null || id.trim() === '' ? null : id
}
