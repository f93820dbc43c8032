/** Texts that stand in JSON as they are. */
const PLAIN = /^[\w .:@$/+-]*$/

/** A text as JSON. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/**
 * The JSON of an object of texts, numbers, booleans and nulls, without braces; undefined for every other one, which `serialise` has to look
 * through. Most properties are such, and what the engine's own writer prepares for any object costs more than they do.
 */
export const flatMembers = (given: object): string | undefined => {
  let text = ''
  for (const key of Object.keys(given)) {
    const json = flatJson((given as Readonly<Record<string, unknown>>)[key])
    if (json === undefined) return undefined
    text += text ? `,${quoted(key)}:${json}` : `${quoted(key)}:${json}`
  }
  return text
}

const flatJson = (value: unknown): string | undefined => {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean' || value === null || Number.isFinite(value)) return String(value)
  return undefined
}
