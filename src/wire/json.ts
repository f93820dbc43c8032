/** Any value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON object: event properties, person properties, group properties. */
export type JsonObject = { readonly [key: string]: Json }

/** Whether a value is a JSON object: not null, an array or a plain value. */
export const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether an object has no keys. Much faster than counting `Object.keys`. */
export const isEmptyObject = (object: JsonObject): boolean => {
  for (const _ in object) return false
  return true
}
