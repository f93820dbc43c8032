import { MAX_ID_CHARACTERS, MAX_PROPERTY_NAME_CHARACTERS } from '../../wire/bounds.ts'

/** Properties that are ids in some event, so that their values have a bound (`findLongId`). */
const ID_NAMES: ReadonlySet<string> = new Set(['$device_id', '$anon_distinct_id', 'alias', '$group_type', '$group_key'])

/** Strings that JSON does not escape. */
const UNESCAPED = /^[\w .:@$/+-]*$/

/** Returns a string as JSON. */
export const quoteJson = (value: string): string => (UNESCAPED.test(value) ? `"${value}"` : JSON.stringify(value))

/**
 * Returns the JSON of an object, without braces, if all its values are strings, finite numbers, booleans or null, and none is beyond a bound
 * of properties; otherwise undefined. Most events have only such properties. For them this is faster than `JSON.stringify`, which must handle
 * objects of any kind.
 */
export const serialiseFlatMembers = (source: object): string | undefined => {
  let members = ''
  for (const key of Object.keys(source)) {
    const json = serialiseFlatValue((source as Readonly<Record<string, unknown>>)[key])
    if (json === undefined || key.length > MAX_PROPERTY_NAME_CHARACTERS) return undefined
    if (json.length > MAX_ID_CHARACTERS && ID_NAMES.has(key)) return undefined
    members += members ? `,${quoteJson(key)}:${json}` : `${quoteJson(key)}:${json}`
  }
  return members
}

const serialiseFlatValue = (value: unknown): string | undefined => {
  if (typeof value === 'string') return quoteJson(value)
  if (typeof value === 'boolean' || value === null || Number.isFinite(value)) return String(value)
  return undefined
}
