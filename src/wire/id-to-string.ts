/** Converts an id to a string. Accepts a non-blank string, or a finite number, such as a database id. Undefined for any other value. */
export const idToString = (id: unknown): string | undefined => {
  if (typeof id === 'string') return id.trim() ? id : undefined
  return Number.isFinite(id) ? String(id) : undefined
}
