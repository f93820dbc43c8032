/** Returns an id as a string: a non-empty string, or a finite number as databases have it. Undefined for any other value. */
export const idToString = (id: unknown): string | undefined => {
  if (typeof id === 'string') return id.trim() ? id : undefined
  return Number.isFinite(id) ? String(id) : undefined
}
