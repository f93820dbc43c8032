import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'

/** A part of a definition that has not the shape it must have. The message names the place. Never leaves `compile`. */
export class Malformed extends Error {
  constructor(place: string, rule: string) {
    super(`${place} ${rule}`)
  }
}

/** Absent and null mean the same everywhere in definitions. */
export const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null

/** The object; an empty one where there is none. Throws `Malformed`. */
export const recordAt = (value: Json | undefined, place: string): JsonObject => {
  if (isAbsent(value)) return {}
  if (isRecord(value)) return value
  throw new Malformed(place, 'must be an object')
}

/** The list; an empty one where there is none. Throws `Malformed`. */
export const listAt = (value: Json | undefined, place: string): readonly Json[] => {
  if (isAbsent(value)) return []
  if (Array.isArray(value)) return value
  throw new Malformed(place, 'must be an array')
}

/** Throws `Malformed`. */
export const textAt = (value: Json | undefined, place: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new Malformed(place, 'must be a text that is not empty')
}

/** A number, or undefined where there is none. Throws `Malformed`. */
export const numberAt = (value: Json | undefined, place: string): number | undefined => {
  if (isAbsent(value)) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Malformed(place, 'must be a number')
}
