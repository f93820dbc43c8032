import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { isDeeperThan } from '../../../wire/is-deeper-than.ts'
import { isNonBlankString } from '../../../wire/is-non-blank-string.ts'
import { isNonEmptyString } from '../../../wire/is-non-empty-string.ts'
import { DefinitionError } from './definition-error.ts'

/** Largest definition in bytes of JSON (1 MiB): every client reads it, and every change rewrites all of it. */
const MAX_DEFINITION_BYTES = 1024 * 1024

/** Deepest nesting of objects and arrays. Code that reads or writes JSON recurses, in all clients, and would overflow its stack. */
export const MAX_NESTING = 64

/** Steps of a path that an error about nesting shows: enough to find the place. */
const MAX_PATH_STEPS = 4
/** Characters of one field name that such a path shows. */
const MAX_PATH_KEY_LENGTH = 100

/** Throws a `DefinitionError` for the field `attr` unless `condition` is true. `rule` continues the field's name: "must be a string". */
export const checkThat = (condition: boolean, attr: string, rule: string): void => {
  if (!condition) throw new DefinitionError(attr, rule)
}

/** Whether a field is missing or null, which mean the same. */
export const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null

export const isPercentage = (value: Json | undefined): boolean =>
  typeof value === 'number' && value >= 0 && value <= 100

/** Returns the value as an object. Throws `DefinitionError`. */
export const parseObject = (value: Json | undefined, attr: string): JsonObject => {
  if (isRecord(value)) return value
  throw new DefinitionError(attr, 'must be an object')
}

/** Returns the value as an array. Throws `DefinitionError`. */
export const parseArray = (value: Json | undefined, attr: string): readonly Json[] => {
  if (Array.isArray(value)) return value
  throw new DefinitionError(attr, 'must be an array')
}

/** Returns the value as a non-empty string; with `maxLength`, one that is also not blank and not longer. Throws `DefinitionError`. */
export const parseString = (value: Json | undefined, attr: string, maxLength?: number): string => {
  if (isNonEmptyString(value) && (maxLength === undefined || (isNonBlankString(value) && value.length <= maxLength)))
    return value
  const rule =
    maxLength === undefined ? 'a non-empty string' : `a string of 1 to ${maxLength} characters that is not blank`
  throw new DefinitionError(attr, `must be ${rule}`)
}

/** Returns the value as a string of at most `maxLength` characters, '' if it is missing or null. Throws `DefinitionError`. */
export const parseOptionalString = (value: Json | undefined, attr: string, maxLength: number): string => {
  const string = value ?? ''
  if (typeof string === 'string' && string.length <= maxLength) return string
  throw new DefinitionError(attr, `must be a string of at most ${maxLength} characters`)
}

/** Throws `DefinitionError` unless `url` is empty or a URL with one of the schemes: pages turn it into a link. */
export const checkUrl = (url: string, attr: string, schemes: readonly string[]): void => {
  const scheme = URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : ''
  checkThat(
    url === '' || schemes.includes(scheme),
    attr,
    `must be an absolute URL with the scheme ${schemes.join(' or ')}`,
  )
}

/** Leaves out the fields of `names` that are null, so that a missing field has one form in answers. */
export const omitNulls = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null || !names.includes(name)))

/** Throws `DefinitionError` unless each field of `names` is true, false, null or missing. */
export const checkBooleans = (object: JsonObject, names: readonly string[], prefix = ''): void => {
  for (const name of names)
    checkThat(isAbsent(object[name]) || typeof object[name] === 'boolean', `${prefix}${name}`, 'must be true or false')
}

/** Returns the path of a value inside `value` at more than `levels` levels; the path ends at most `steps` below `path`. */
const findDeepPath = (value: Json, path: string, levels: number, steps: number): string => {
  if (typeof value !== 'object' || value === null || steps === 0) return path
  for (const [key, inner] of Object.entries(value))
    if (isDeeperThan(inner, levels - 1)) {
      const step = Array.isArray(value) ? `[${key}]` : `${path && '.'}${key.slice(0, MAX_PATH_KEY_LENGTH)}`
      return findDeepPath(inner, path + step, levels - 1, steps - 1)
    }
  return path
}

/** Throws `DefinitionError` for a value of more than 64 levels; the value is the first level. `path` is its path, '' for a whole body. */
export const checkNesting = (value: Json, path: string): void => {
  if (isDeeperThan(value, MAX_NESTING))
    throw new DefinitionError(
      findDeepPath(value, path, MAX_NESTING, MAX_PATH_STEPS),
      `is nested in more than ${MAX_NESTING} levels of objects and arrays, counted from the outermost`,
    )
}

/**
 * Returns a whole definition, an object of bounded size and nesting, without what the service sets: id, version, timestamps and warnings,
 * which clients send back. Throws `DefinitionError`.
 */
export const parseDefinitionObject = (value: Json | undefined, name: string): JsonObject => {
  if (!isRecord(value)) throw new DefinitionError(null, `${name} must be an object`)
  checkNesting(value, '')
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_DEFINITION_BYTES)
    throw new DefinitionError(null, `${name} must be at most ${MAX_DEFINITION_BYTES} bytes of JSON`)
  const { id: _id, version: _version, created_at: _created, updated_at: _updated, warnings: _warnings, ...rest } = value
  return rest
}
