import { isText } from '../is-text.ts'

/** An id as text: a text that is not empty, or a number, which databases have; undefined for everything else. */
export function idText(given: unknown): string | undefined {
  if (isText(given)) return given
  return Number.isFinite(given) ? String(given) : undefined
}
