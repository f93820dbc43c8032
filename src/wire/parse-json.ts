import type { Json } from './json.ts'

/** Parses JSON; undefined for a string that is not JSON. */
export const parseJson = (json: string): Json | undefined => {
  try {
    return JSON.parse(json) as Json
  } catch {
    return undefined
  }
}
