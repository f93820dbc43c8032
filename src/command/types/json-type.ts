import type { Json } from '../../wire/json.ts'

/** Writes the TypeScript type of the values that look like these: `{ title: string } | null`. */
export const jsonTypeOf = (values: readonly Json[]): string => unionOf(values.map(typeOf))

/** Writes a union of types, each once. `unknown` without any. */
export const unionOf = (types: readonly string[]): string =>
  types.length === 0 ? 'unknown' : [...new Set(types)].join(' | ')

/** Writes a name as a key of an interface or of an object type. */
export const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const typeOf = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return arrayTypeOf(jsonTypeOf(value))
  if (typeof value !== 'object') return typeof value
  const members = Object.entries(value).map(([name, member]) => `${keyOf(name)}: ${typeOf(member)}`)
  return members.length === 0 ? 'object' : `{ ${members.sort().join('; ')} }`
}

const arrayTypeOf = (item: string): string => (item.includes(' | ') ? `(${item})[]` : `${item}[]`)
