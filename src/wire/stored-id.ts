import type { Json } from './json.ts'

/**
 * Returns an id as the databases can store it, so that an id that is read back equals the one that was looked up. Numbers become strings;
 * NUL and lone surrogates are removed or replaced. Null for any other type, and for a number beyond 2^53: JSON parsers round those, which
 * would merge different users or groups.
 */
export const sanitizeId = (id: unknown): string | null => {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : null
  if (typeof id !== 'string') return null
  return (id.includes('\0') ? id.split('\0').join('') : id).replace(/\p{Surrogate}/gu, '\uFFFD')
}

/**
 * Returns an id as it is stored. Null when it is unusable: empty or blank after sanitizing, or an inexact number. Numbers are accepted
 * because callers often pass database ids.
 */
export const toStoredId = (rawId: Json | undefined): string | null => {
  const id = sanitizeId(rawId)
  return id === null || id.trim() === '' ? null : id
}
