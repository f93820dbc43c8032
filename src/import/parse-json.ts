import type { Json } from '../wire/json.ts'

/** Parses JSON; returns undefined where the string is not JSON. */
export const parseJson = (json: string): Json | undefined => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
