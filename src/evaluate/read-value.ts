import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'

/** Absent and null mean the same everywhere in definitions. */
export const isNullish = (value: Json | undefined): value is null | undefined => value === undefined || value === null

/** An object; empty when absent. Throws `MalformedDefinitionError`. */
export const readObject = (value: Json | undefined, path: string): JsonObject => {
  if (isNullish(value)) return {}
  if (isRecord(value)) return value
  throw new MalformedDefinitionError(path, 'must be an object')
}

/** An array; empty when absent. Throws `MalformedDefinitionError`. */
export const readArray = (value: Json | undefined, path: string): readonly Json[] => {
  if (isNullish(value)) return []
  if (Array.isArray(value)) return value
  throw new MalformedDefinitionError(path, 'must be an array')
}

/** A non-empty string. Throws `MalformedDefinitionError`, also when absent. */
export const readString = (value: Json | undefined, path: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new MalformedDefinitionError(path, 'must be a non-empty string')
}

/** A non-empty string; `fallback` when absent. Throws `MalformedDefinitionError`. */
export const readStringOr = (value: Json | undefined, fallback: string, path: string): string =>
  isNullish(value) ? fallback : readString(value, path)

/** A finite number; undefined when absent. Throws `MalformedDefinitionError`. */
export const readNumber = (value: Json | undefined, path: string): number | undefined => {
  if (isNullish(value)) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new MalformedDefinitionError(path, 'must be a number')
}

/** A boolean; false when absent. Throws `MalformedDefinitionError`. */
export const readBoolean = (value: Json | undefined, path: string): boolean => {
  if (isNullish(value) || typeof value === 'boolean') return value === true
  throw new MalformedDefinitionError(path, 'must be true or false')
}
