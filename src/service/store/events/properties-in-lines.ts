import type { Json, JsonObject } from '../../../wire/json.ts'

/**
 * Writes large properties with a line for each, so that SQL can remove one by a regular expression. JSON has no other line breaks.
 *
 * @param encode Serializes a name or a value.
 */
export const writeInLines = (properties: JsonObject, encode: (value: Json) => string): string =>
  `{\n${Object.entries(properties)
    .map(([name, value]) => `${encode(name)}:${encode(value)}`)
    .join('\n,')}\n}`

/** Properties as they are without `writeInLines`. */
export const withoutLines = (json: string): string => (json.startsWith('{\n') ? json.replaceAll('\n', '') : json)
