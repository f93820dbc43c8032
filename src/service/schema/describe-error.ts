import type { TLocalizedValidationError } from 'typebox/error'
import { NOT_BLANK } from './types.ts'

/** What is wrong with a value, for an `ApiError`. */
export interface SchemaProblem {
  readonly code: 'required' | 'invalid_choice' | 'invalid_input'
  /** One sentence. */
  readonly detail: string
  /** Path of the wrong field: `filters.groups[0].key`. Empty for the whole value. */
  readonly path: string
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'an array',
  null: 'null',
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'date-time': 'an ISO 8601 time with its time zone, such as 2026-01-31T09:00:00Z',
  email: 'an email address',
  uri: 'a URL',
  uuid: 'a UUID',
}

const PATTERN_NAMES: Readonly<Record<string, string>> = { [NOT_BLANK]: 'a string that is not blank' }

const plural = (count: number | bigint, noun: string): string => `${count} ${noun}${Number(count) === 1 ? '' : 's'}`

/** What a value must be according to one failed rule; undefined for a rule whose parts are reported by themselves. */
const describeRule = (error: TLocalizedValidationError): string | undefined => {
  switch (error.keyword) {
    case 'type':
      return [error.params.type]
        .flat()
        .map((type) => TYPE_NAMES[type] ?? type)
        .join(' or ')
    case 'const':
      return JSON.stringify(error.params.allowedValue)
    case 'enum':
      return `one of ${error.params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
    case 'format':
      return FORMAT_NAMES[error.params.format] ?? `in the format "${error.params.format}"`
    case 'minLength':
      return `a string of ${plural(error.params.limit, 'character')} or more`
    case 'maxLength':
      return `a string of at most ${plural(error.params.limit, 'character')}`
    case 'minItems':
      return `an array of ${plural(error.params.limit, 'item')} or more`
    case 'maxItems':
      return `an array of at most ${plural(error.params.limit, 'item')}`
    case 'uniqueItems':
      return 'an array of items that all differ'
    case 'minimum':
      return `${error.params.limit} or more`
    case 'maximum':
      return `${error.params.limit} or less`
    case 'pattern':
      return PATTERN_NAMES[String(error.params.pattern)] ?? `a string that matches ${String(error.params.pattern)}`
    case 'anyOf':
      return undefined
    default:
      return error.message.replace(/^must (be )?/, '')
  }
}

const toPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .replace(/^\./, '')

/**
 * Describes the first wrong field of a value. Alternatives of a union fail together, so all failed rules of that field are
 * named: `"name" must be a string or null.`
 */
export const describeSchemaErrors = (errors: readonly TLocalizedValidationError[]): SchemaProblem => {
  const first = errors[0]
  if (first === undefined) return { code: 'invalid_input', detail: 'The request is invalid.', path: '' }
  const parent = toPath(first.instancePath)
  if (first.keyword === 'required') {
    const path = [parent, first.params.requiredProperties[0]].filter(Boolean).join('.')
    return { code: 'required', detail: `"${path}" is missing.`, path }
  }
  const failed = errors.filter(({ instancePath }) => instancePath === first.instancePath)
  const choices = failed.filter(({ keyword }) => keyword === 'enum' || keyword === 'const')
  // A schema of constants may have their type, too, which says less.
  const choicePaths = new Set(choices.map(({ schemaPath }) => schemaPath))
  const telling = failed.filter(({ keyword, schemaPath }) => keyword !== 'type' || !choicePaths.has(schemaPath))
  const rules = [...new Set(telling.map(describeRule))].filter((rule) => rule !== undefined)
  const subject = parent === '' ? 'The value' : `"${parent}"`
  return {
    code: choices.length > 0 ? 'invalid_choice' : 'invalid_input',
    detail: `${subject} must be ${rules.join(' or ')}.`,
    path: parent,
  }
}
