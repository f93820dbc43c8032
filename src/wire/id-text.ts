/** An id as text: a text that is not empty, or a number, which databases have; undefined for everything else. */
export const idText = (given: unknown): string | undefined => {
  if (typeof given === 'string') return given.trim() ? given : undefined
  return Number.isFinite(given) ? String(given) : undefined
}
