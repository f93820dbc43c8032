import { isNonEmptyString } from '../wire/is-non-empty-string.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'

/** Returns whether a field is absent or null, which mean the same everywhere in definitions. */
export const isAbsentOrNull = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null

/** Returns an object; empty when absent. Throws `MalformedDefinitionError`. */
export const readObject = (value: Json | undefined, path: string): JsonObject => {
  if (isAbsentOrNull(value)) return {}
  if (isRecord(value)) return value
  throw new MalformedDefinitionError(path, 'must be an object')
}

/** Returns an array; empty when absent. Throws `MalformedDefinitionError`. */
export const readArray = (value: Json | undefined, path: string): readonly Json[] => {
  if (isAbsentOrNull(value)) return []
  if (Array.isArray(value)) return value
  throw new MalformedDefinitionError(path, 'must be an array')
}

/** Returns a non-empty string. Throws `MalformedDefinitionError`, also when absent. */
export const readString = (value: Json | undefined, path: string): string => {
  if (isNonEmptyString(value)) return value
  throw new MalformedDefinitionError(path, 'must be a non-empty string')
}

/** Returns a non-empty string; `fallback` when absent. Throws `MalformedDefinitionError`. */
export const readStringOr = (value: Json | undefined, fallback: string, path: string): string =>
  isAbsentOrNull(value) ? fallback : readString(value, path)

/** Returns a finite number; undefined when absent. Throws `MalformedDefinitionError`. */
export const readNumber = (value: Json | undefined, path: string): number | undefined => {
  if (isAbsentOrNull(value)) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new MalformedDefinitionError(path, 'must be a number')
}

/** Returns a boolean; false when absent. Throws `MalformedDefinitionError`. */
export const readBoolean = (value: Json | undefined, path: string): boolean => {
  if (isAbsentOrNull(value) || typeof value === 'boolean') return value === true
  throw new MalformedDefinitionError(path, 'must be true or false')
}
