import type { JsonObject } from './json.ts'
import { parseJson } from './parse-json.ts'

/** The sentence of the service's own error; undefined for any other body. */
export const readServiceError = (body: string): string | undefined => {
  const { code, detail } = Object(parseJson(body)) as JsonObject
  return typeof code === 'string' && typeof detail === 'string' ? detail : undefined
}
