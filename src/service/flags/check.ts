import type { Json, JsonObject } from '../../wire/json.ts'
import { isRecord } from '../ingest/request.ts'
import { DefinitionError } from './definition-error.ts'

/** Most bytes of JSON that one definition may have (1 MiB): every client reads it, and every change writes it whole. */
const MOST_BYTES = 1024 * 1024

/** Throws `DefinitionError` unless `holds`. */
export const must = (holds: boolean, attr: string, rule: string): void => {
  if (!holds) throw new DefinitionError(attr, rule)
}

/** Whether a field is not there or null, which mean the same. */
export const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null

/** Whether a value is a text that is not empty. */
export const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''

/** Whether a value is a number from 0 to 100. */
export const isPercentage = (value: Json | undefined): boolean =>
  typeof value === 'number' && value >= 0 && value <= 100

/** An object, or `DefinitionError`. */
export const recordAt = (value: Json | undefined, attr: string): JsonObject => {
  if (isRecord(value)) return value
  throw new DefinitionError(attr, 'must be an object')
}

/** An array, or `DefinitionError`. */
export const listAt = (value: Json | undefined, attr: string): readonly Json[] => {
  if (Array.isArray(value)) return value
  throw new DefinitionError(attr, 'must be an array')
}

/** A text that is not empty, or `DefinitionError`. With `most`, one that is not blank, of at most that many characters. */
export const textAt = (value: Json | undefined, attr: string, most?: number): string => {
  if (isText(value) && (most === undefined || (value.trim() !== '' && value.length <= most))) return value
  const rule = most === undefined ? 'that is not empty' : `of 1 to ${most} characters that is not blank`
  throw new DefinitionError(attr, `must be a text ${rule}`)
}

/** Throws `DefinitionError` unless each field of `names` is true, false or absent. */
export const checkSwitches = (given: JsonObject, names: readonly string[], at = ''): void => {
  for (const name of names)
    must(isAbsent(given[name]) || typeof given[name] === 'boolean', `${at}${name}`, 'must be true or false')
}

/** A whole definition: an object that can be written as JSON of a bounded size, or `DefinitionError`. */
export const definitionAt = (value: Json | undefined, what: string): JsonObject => {
  if (!isRecord(value)) throw new DefinitionError(null, `${what} must be an object`)
  try {
    if (Buffer.byteLength(JSON.stringify(value)) <= MOST_BYTES) return value
  } catch {
    // Nested deeper than the stack: JSON can be read so, but not written.
    throw new DefinitionError(null, `${what} is nested too deeply`)
  }
  throw new DefinitionError(null, `${what} must be at most ${MOST_BYTES} bytes of JSON`)
}
