import { compile } from '../../../evaluate/compile.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import {
  checkNesting,
  checkBooleans,
  parseDefinitionObject,
  isAbsent,
  isPercentage,
  omitNulls,
  parseArray,
  checkThat,
  parseObject,
  parseString,
} from './check.ts'
import { isNonEmptyString } from '../../../wire/is-non-empty-string.ts'
import { createEvaluationError } from './definition-error.ts'
import { parseFilter } from './parse-filter.ts'
import { findGroupIndexes, findFlagReferences } from './references.ts'
import { CHECKED_FLAG_KEY, createPlaceholders } from './placeholders.ts'

/** Longest flag key, in characters. */
const MAX_KEY_LENGTH = 400
/** Most conditions and filters of one flag together: requests wait while a flag is compiled. */
const MAX_CONDITIONS = 10_000
/** Tolerance for the rounding error in sums such as 33.3 + 33.3 + 33.4. */
const PERCENT_TOLERANCE = 1e-6

/** Checks the variants and returns their keys. */
const parseVariantKeys = (multivariate: Json | undefined): Set<string> => {
  const keys = new Set<string>()
  if (isAbsent(multivariate)) return keys
  const path = 'filters.multivariate'
  let sum = 0
  parseArray(parseObject(multivariate, path)['variants'], `${path}.variants`).forEach((input, index) => {
    const variantPath = `${path}.variants[${index}]`
    const variant = parseObject(input, variantPath)
    const key = parseString(variant['key'], `${variantPath}.key`)
    const share = variant['rollout_percentage']
    checkThat(
      !keys.has(key),
      `${variantPath}.key`,
      `is "${key}", which another variant has already; give each variant its own key`,
    )
    checkThat(isPercentage(share), `${variantPath}.rollout_percentage`, 'must be a number from 0 to 100')
    keys.add(key)
    sum += Number(share)
  })
  checkThat(
    sum <= 100 + PERCENT_TOLERANCE,
    `${path}.variants`,
    `have rollout percentages that add up to ${Number(sum.toFixed(6))}; they must not exceed 100`,
  )
  return keys
}

const checkGroupIndex = (index: Json | undefined, path: string): void =>
  checkThat(
    isAbsent(index) || (Number.isSafeInteger(index) && Number(index) >= 0),
    `${path}.aggregation_group_type_index`,
    'must be an integer of 0 or more, or missing',
  )

const parseGroup = (input: Json, path: string, variants: ReadonlySet<string>): JsonObject => {
  const group = parseObject(input, path)
  const { rollout_percentage: share, variant, properties } = group
  checkThat(
    isAbsent(share) || isPercentage(share),
    `${path}.rollout_percentage`,
    'must be a number from 0 to 100, or missing',
  )
  checkThat(
    isAbsent(variant) || (isNonEmptyString(variant) && variants.has(variant)),
    `${path}.variant`,
    'must be the key of one of the variants',
  )
  checkGroupIndex(group['aggregation_group_type_index'], path)
  if (isAbsent(properties)) return group
  const list = parseArray(properties, `${path}.properties`)
  return { ...group, properties: list.map((each, index) => parseFilter(each, `${path}.properties[${index}]`)) }
}

/** Clients parse a string payload as JSON; one that is not valid JSON remains a string. */
const readPayload = (payload: Json): Json => {
  if (typeof payload !== 'string') return payload
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}

const checkPayloads = (payloads: Json | undefined, variants: ReadonlySet<string>): void => {
  if (isAbsent(payloads)) return
  for (const [key, payload] of Object.entries(parseObject(payloads, 'filters.payloads'))) {
    const path = `filters.payloads.${key}`
    checkThat(key === 'true' || variants.has(key), path, 'must be named after a variant, or "true"')
    // The protocol treats these as no payload (`src/evaluate/conclusive-factory.ts`). null means the same, but is explicit.
    checkThat(
      isAbsent(payload) || Boolean(payload),
      path,
      'must not be 0, false or an empty string: clients would get no payload',
    )
    checkNesting(readPayload(payload), path)
  }
}

const checkHoldout = (holdout: Json | undefined): void => {
  if (isAbsent(holdout)) return
  const { id, exclusion_percentage: share } = parseObject(holdout, 'filters.holdout')
  // In the protocol this means: no holdout.
  if (isAbsent(id)) return
  checkThat(
    Number.isSafeInteger(id) || isNonEmptyString(id),
    'filters.holdout.id',
    'must be an integer or a non-empty string',
  )
  checkThat(isPercentage(share), 'filters.holdout.exclusion_percentage', 'must be a number from 0 to 100')
}

/** Neither the service nor any client evaluates these conditions, so they are rejected, not ignored. */
const checkSuperGroups = (groups: Json | undefined): void =>
  checkThat(
    isAbsent(groups) || (Array.isArray(groups) && groups.length === 0),
    'filters.super_groups',
    'is not supported; use filters.feature_enrollment, or put these conditions first in filters.groups',
  )

/** Checks an enumerated field. Other values would be ignored without a warning. */
const checkChoice = (value: Json | undefined, path: string, choices: readonly string[]): void =>
  checkThat(isAbsent(value) || choices.some((choice) => choice === value), path, `must be one of ${choices.join(', ')}`)

const BUCKETING_IDENTIFIERS = ['distinct_id', 'device_id']
const EVALUATION_RUNTIMES = ['all', 'client', 'server']

const checkFields = (fields: JsonObject): void => {
  const { name } = fields
  const key = parseString(fields['key'], 'key', MAX_KEY_LENGTH)
  checkThat(!/\p{Cc}|\p{Surrogate}/u.test(key), 'key', 'must not contain control characters or unpaired surrogates')
  // The first two have a special meaning in URL paths, the third in objects.
  checkThat(
    !['.', '..', '__proto__'].includes(key),
    'key',
    `must not be "${key}", which cannot be used in URLs and objects`,
  )
  checkThat(isAbsent(name) || typeof name === 'string', 'name', 'must be a string')
  checkThat(typeof fields['active'] === 'boolean', 'active', 'must be true or false')
  checkBooleans(fields, ['deleted', 'has_experiment', 'ensure_experience_continuity'])
  checkChoice(fields['bucketing_identifier'], 'bucketing_identifier', BUCKETING_IDENTIFIERS)
  checkChoice(fields['evaluation_runtime'], 'evaluation_runtime', EVALUATION_RUNTIMES)
  for (const field of ['evaluation_contexts', 'evaluation_tags']) {
    const value = fields[field]
    if (!isAbsent(value))
      checkThat(parseArray(value, field).every(isNonEmptyString), field, 'must be an array of non-empty strings')
  }
}

/** Why the engine cannot evaluate a flag, or undefined. Definitions that the flag refers to are assumed to exist. */
const findFlagProblem = (flag: NewFlag): string | undefined => {
  const { flags: others, cohorts } = createPlaceholders(findFlagReferences(flag))
  const groupTypes = findGroupIndexes(flag).map(({ index }) => [index, 'group'])
  const { flags } = compile({
    flags: [...others, { ...flag, id: 0, key: CHECKED_FLAG_KEY, active: true, deleted: false }],
    cohorts,
    group_type_mapping: Object.fromEntries(groupTypes),
  })
  return flags.get(CHECKED_FLAG_KEY)?.problems[0]
}

/**
 * Checks the definition of a flag. `active` is true by default. The service sets id, version, timestamps, warnings and
 * dependency chains, so those in the input are dropped. Unknown fields are kept. Whether the flags, cohorts and group types that the
 * flag refers to exist is not checked here.
 *
 * @param stored The flag that the input changes. It may keep an unknown `filters.bucketing_identifier`, which earlier versions accepted:
 *   otherwise nobody could turn such a flag off.
 * @throws DefinitionError for a definition that cannot be stored or evaluated.
 */
export const parseFlag = (input: Json, stored?: NewFlag): NewFlag => {
  const rest = parseDefinitionObject(input, 'a flag')
  const fields: JsonObject = {
    ...omitNulls(rest, ['name', 'deleted']),
    active: rest['active'] === undefined ? true : rest['active'],
  }
  checkFields(fields)
  const filters = parseObject(rest['filters'], 'filters')
  const variants = parseVariantKeys(filters['multivariate'])
  checkThat(
    rest['has_experiment'] !== true || variants.size > 1,
    'filters.multivariate.variants',
    'must have two or more items for a flag with an experiment',
  )
  const groups = parseArray(filters['groups'], 'filters.groups').map((group, index) =>
    parseGroup(group, `filters.groups[${index}]`, variants),
  )
  const conditions = groups.flatMap(({ properties }) => properties ?? []).length + groups.length
  checkThat(
    conditions <= MAX_CONDITIONS,
    'filters.groups',
    `has ${conditions} conditions and filters; the maximum is ${MAX_CONDITIONS}`,
  )
  checkPayloads(filters['payloads'], variants)
  checkGroupIndex(filters['aggregation_group_type_index'], 'filters')
  if (filters['bucketing_identifier'] !== stored?.filters.bucketing_identifier)
    checkChoice(filters['bucketing_identifier'], 'filters.bucketing_identifier', BUCKETING_IDENTIFIERS)
  checkHoldout(filters['holdout'])
  checkSuperGroups(filters['super_groups'])
  checkBooleans(filters, ['early_exit', 'feature_enrollment'], 'filters.')
  // Every field of the type was checked above.
  const flag = { ...fields, filters: { ...filters, groups } } as unknown as NewFlag
  const problem = findFlagProblem(flag)
  if (problem !== undefined) throw createEvaluationError(problem)
  return flag
}
