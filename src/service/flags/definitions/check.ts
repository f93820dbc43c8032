import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { isDeeperThan } from '../../../wire/is-deeper-than.ts'
import { DefinitionError } from './definition-error.ts'

/** Most bytes of JSON that one definition may have (1 MiB): every client reads it, and every change writes it whole. */
const MOST_BYTES = 1024 * 1024

/** Levels of objects and arrays: whoever reads and writes JSON recurses, here and in every client, and none survives any depth. */
const MOST_LEVELS = 64

/** How much of the way to a place that is nested too deep is told: where to look, not all the brackets. */
const STEPS_TOLD = 4
/** Characters of a field's name that are told. */
const MOST_OF_A_KEY = 100

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

/** A text that may be empty, of at most `most` characters, or `DefinitionError`; '' for what is absent. */
export const noteAt = (value: Json | undefined, attr: string, most: number): string => {
  const text = value ?? ''
  if (typeof text === 'string' && text.length <= most) return text
  throw new DefinitionError(attr, `must be a text of at most ${most} characters`)
}

/** Throws `DefinitionError` unless a text is empty, or an address of one of the schemes: pages make a link of it. */
export const checkAddress = (text: string, attr: string, schemes: readonly string[]): void => {
  const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : ''
  must(text === '' || schemes.includes(scheme), attr, `must be an address that begins with ${schemes.join(' or ')}`)
}

/** Throws `DefinitionError` unless each field of `names` is true, false or absent. */
export const checkSwitches = (given: JsonObject, names: readonly string[], at = ''): void => {
  for (const name of names)
    must(isAbsent(given[name]) || typeof given[name] === 'boolean', `${at}${name}`, 'must be true or false')
}

/** The place in a value that is nested more than `levels` deep, `steps` steps into it; `at` is the value's own. */
const deepPlace = (value: Json, at: string, levels: number, steps: number): string => {
  if (typeof value !== 'object' || value === null || steps === 0) return at
  for (const [key, inner] of Object.entries(value))
    if (isDeeperThan(inner, levels - 1)) {
      const step = Array.isArray(value) ? `[${key}]` : `${at && '.'}${key.slice(0, MOST_OF_A_KEY)}`
      return deepPlace(inner, at + step, levels - 1, steps - 1)
    }
  return at
}

/** Throws `DefinitionError` for a value of more than 64 levels, itself counted as the first. `at` is its place; '' for a whole body. */
export const checkNesting = (value: Json, at: string): void => {
  if (isDeeperThan(value, MOST_LEVELS))
    throw new DefinitionError(
      deepPlace(value, at, MOST_LEVELS, STEPS_TOLD),
      `is nested in more than ${MOST_LEVELS} levels, counted from the outermost`,
    )
}

/** A whole definition: an object that can be written as JSON of a bounded size, or `DefinitionError`. */
export const definitionAt = (value: Json | undefined, what: string): JsonObject => {
  if (!isRecord(value)) throw new DefinitionError(null, `${what} must be an object`)
  checkNesting(value, '')
  if (Buffer.byteLength(JSON.stringify(value)) <= MOST_BYTES) return value
  throw new DefinitionError(null, `${what} must be at most ${MOST_BYTES} bytes of JSON`)
}
