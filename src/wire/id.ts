import type { Json } from './json.ts'

/**
 * An id as the stores can hold it: numbers as text, without NUL and without half a surrogate pair, so that the id that is
 * read back is the one that was looked for. Null when it is no id at all, as is a number that is not exact: readers of JSON
 * round those beyond 2^53, so that two users or groups would become one.
 */
export const cleanId = (id: unknown): string | null => {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : null
  if (typeof id !== 'string') return null
  return (id.includes('\0') ? id.split('\0').join('') : id).replace(/\p{Surrogate}/gu, '\uFFFD')
}

/**
 * An id as it is stored, or null for one that is missing: empty or blank once cleaned, or a number that is not exact.
 * Numbers are what a database id looks like in a careless caller's hands, and the protocol's services take them. Nobody is
 * better than somebody else.
 */
export const idOf = (given: Json | undefined): string | null => {
  const id = cleanId(given)
  return id === null || id.trim() === '' ? null : id
}
