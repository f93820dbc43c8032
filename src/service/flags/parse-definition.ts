import { compileFlag } from '../../evaluate/compile-flag.ts'
import { isPattern } from '../../evaluate/operators/regex.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { isRecord } from '../ingest/request.ts'
import type { NewFlag } from '../store/metadata/flags.ts'

/** Longest flag key, in characters. */
const MAX_KEY_LENGTH = 400
/** Slack for percentages like 33.3 + 33.3 + 33.4, which do not add up exactly. */
const PERCENT_SLACK = 1e-6

/** Operators that look at presence alone and need no value. */
const WITHOUT_VALUE = new Set<Json | undefined>(['is_set', 'is_not_set'])

const SEARCHES = new Set(['regex', 'not_regex'])

class Problem extends Error {}

/** Throws what is wrong unless `holds`. */
const must = (holds: boolean, path: string, rule: string): void => {
  if (!holds) throw new Problem(`${path} ${rule}`)
}

const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null
const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''
const isPercentage = (value: Json | undefined): boolean => typeof value === 'number' && value >= 0 && value <= 100

const recordAt = (value: Json | undefined, path: string): JsonObject => {
  if (isRecord(value)) return value
  throw new Problem(`${path} must be an object`)
}

const listAt = (value: Json | undefined, path: string): readonly Json[] => {
  if (Array.isArray(value)) return value
  throw new Problem(`${path} must be an array`)
}

const textAt = (value: Json | undefined, path: string): string => {
  if (isText(value)) return value
  throw new Problem(`${path} must be a text that is not empty`)
}

/** @returns The keys of the variants. */
const checkVariants = (multivariate: Json | undefined): Set<string> => {
  const keys = new Set<string>()
  if (isAbsent(multivariate)) return keys
  const path = 'filters.multivariate'
  let sum = 0
  listAt(recordAt(multivariate, path)['variants'], `${path}.variants`).forEach((given, index) => {
    const at = `${path}.variants[${index}]`
    const variant = recordAt(given, at)
    const key = textAt(variant['key'], `${at}.key`)
    const share = variant['rollout_percentage']
    must(!keys.has(key), `${at}.key`, `is "${key}" for a second time`)
    must(isPercentage(share), `${at}.rollout_percentage`, 'must be a number from 0 to 100')
    keys.add(key)
    sum += Number(share)
  })
  must(sum <= 100 + PERCENT_SLACK, `${path}.variants`, `add up to ${sum} percent; at most 100`)
  return keys
}

const checkGroup = (given: Json, at: string, variants: ReadonlySet<string>): void => {
  const group = recordAt(given, at)
  const { rollout_percentage: share, variant, properties } = group
  must(isAbsent(share) || isPercentage(share), `${at}.rollout_percentage`, 'must be a number from 0 to 100, or absent')
  must(
    isAbsent(variant) || (isText(variant) && variants.has(variant)),
    `${at}.variant`,
    'must be the key of one of the variants',
  )
  if (isAbsent(properties)) return
  listAt(properties, `${at}.properties`).forEach((each, index) => {
    const path = `${at}.properties[${index}]`
    const { key, operator, type, value } = recordAt(each, path)
    textAt(key, `${path}.key`)
    must(operator === undefined || isText(operator), `${path}.operator`, 'must be a text')
    must(type === undefined || isText(type), `${path}.type`, 'must be a text')
    must(value !== undefined || WITHOUT_VALUE.has(operator), `${path}.value`, 'is missing')
    // Evaluated, such a pattern matches nobody, which whoever wrote it would hardly notice.
    must(!isText(operator) || !SEARCHES.has(operator) || isPattern(value), `${path}.value`, 'is no regular expression')
  })
}

const checkPayloads = (payloads: Json | undefined, variants: ReadonlySet<string>): void => {
  if (isAbsent(payloads)) return
  for (const key of Object.keys(recordAt(payloads, 'filters.payloads')))
    must(key === 'true' || variants.has(key), `filters.payloads.${key}`, 'belongs to no variant, nor to "true"')
}

/**
 * Checks one flag definition as somebody wrote it. `active` is true unless it says otherwise; id and version are the
 * store's, so given ones are left out. Fields that are not known stay.
 *
 * @returns A text that names what is wrong and where, for a definition that cannot be stored or could not be evaluated.
 */
export const parseDefinition = (given: Json): NewFlag | string => {
  try {
    const { id: _id, version: _version, ...fields } = recordAt(given, 'a flag')
    const { key, active = true } = fields
    must(
      isText(key) && key.length <= MAX_KEY_LENGTH && !/\p{Cc}/u.test(key) && key !== '__proto__',
      'key',
      `must be a text of 1 to ${MAX_KEY_LENGTH} characters`,
    )
    must(typeof active === 'boolean', 'active', 'must be true or false')
    const filters = recordAt(fields['filters'], 'filters')
    const variants = checkVariants(filters['multivariate'])
    listAt(filters['groups'], 'filters.groups').forEach((group, index) =>
      checkGroup(group, `filters.groups[${index}]`, variants),
    )
    checkPayloads(filters['payloads'], variants)
    const index = filters['aggregation_group_type_index']
    must(
      isAbsent(index) || (Number.isInteger(index) && Number(index) >= 0),
      'filters.aggregation_group_type_index',
      'must be a whole number from 0, or absent',
    )
    // Every field that the type names was looked at above.
    const flag = { ...fields, active } as unknown as NewFlag
    const { unsupported } = compileFlag({ ...flag, id: 0 })
    must(unsupported === undefined, 'filters', `cannot be evaluated: ${unsupported?.detail}`)
    return flag
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
