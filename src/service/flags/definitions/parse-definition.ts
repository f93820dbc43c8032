import { compile } from '../../../evaluate/compile.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import {
  checkNesting,
  checkSwitches,
  definitionAt,
  isAbsent,
  isPercentage,
  isText,
  listAt,
  must,
  recordAt,
  textAt,
} from './check.ts'
import { evaluationError } from './definition-error.ts'
import { parseFilter } from './parse-filter.ts'
import { groupIndexesOf, referencesOfFlag } from './references.ts'
import { PROBE, standIns } from './stand-ins.ts'

/** Longest flag key, in characters. */
const MAX_KEY_LENGTH = 400
/** Most conditions and filters of one flag together: a set of flags is compiled flag by flag, and requests wait for each. */
const MOST_PARTS = 10_000
/** Slack for percentages like 33.3 + 33.3 + 33.4, which do not add up exactly. */
const PERCENT_SLACK = 1e-6

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

const checkGroupIndex = (index: Json | undefined, at: string): void =>
  must(
    isAbsent(index) || (Number.isSafeInteger(index) && Number(index) >= 0),
    `${at}.aggregation_group_type_index`,
    'must be a whole number from 0, or absent',
  )

const parseGroup = (given: Json, at: string, variants: ReadonlySet<string>): JsonObject => {
  const group = recordAt(given, at)
  const { rollout_percentage: share, variant, properties } = group
  must(isAbsent(share) || isPercentage(share), `${at}.rollout_percentage`, 'must be a number from 0 to 100, or absent')
  must(
    isAbsent(variant) || (isText(variant) && variants.has(variant)),
    `${at}.variant`,
    'must be the key of one of the variants',
  )
  checkGroupIndex(group['aggregation_group_type_index'], at)
  if (isAbsent(properties)) return group
  const list = listAt(properties, `${at}.properties`)
  return { ...group, properties: list.map((each, index) => parseFilter(each, `${at}.properties[${index}]`)) }
}

/** Clients read a payload that is a text as JSON; one that is none stays a text. */
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
  for (const [key, payload] of Object.entries(recordAt(payloads, 'filters.payloads'))) {
    const at = `filters.payloads.${key}`
    must(key === 'true' || variants.has(key), at, 'belongs to no variant, nor to "true"')
    // The protocol takes these for none (`conclude.ts`); null says as much itself.
    must(
      isAbsent(payload) || Boolean(payload),
      at,
      'must not be 0, false or an empty text: clients would get no payload',
    )
    checkNesting(readPayload(payload), at)
  }
}

const checkHoldout = (holdout: Json | undefined): void => {
  if (isAbsent(holdout)) return
  const { id, exclusion_percentage: share } = recordAt(holdout, 'filters.holdout')
  // The protocol's way to say that there is none.
  if (isAbsent(id)) return
  must(Number.isSafeInteger(id) || isText(id), 'filters.holdout.id', 'must be a whole number or a text')
  must(isPercentage(share), 'filters.holdout.exclusion_percentage', 'must be a number from 0 to 100')
}

/** Conditions before all others, which no client can be sure of: evaluated nowhere, so refused rather than ignored. */
const checkSuperGroups = (groups: Json | undefined): void =>
  must(
    isAbsent(groups) || (Array.isArray(groups) && groups.length === 0),
    'filters.super_groups',
    'are not evaluated; use filters.feature_enrollment, or put them first in filters.groups',
  )

/** Words of fields that are chosen from a list; anything else there would be ignored without a word. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  bucketing_identifier: ['distinct_id', 'device_id'],
  evaluation_runtime: ['all', 'client', 'server'],
}

const checkTop = (fields: JsonObject): void => {
  const { name } = fields
  const key = textAt(fields['key'], 'key', MAX_KEY_LENGTH)
  must(!/\p{Cc}|\p{Surrogate}/u.test(key), 'key', 'must have no control characters and no halves of surrogate pairs')
  // The first two mean something else in a path, the third in an object.
  must(!['.', '..', '__proto__'].includes(key), 'key', `must not be "${key}", which cannot be addressed`)
  must(isAbsent(name) || typeof name === 'string', 'name', 'must be a text')
  must(typeof fields['active'] === 'boolean', 'active', 'must be true or false')
  checkSwitches(fields, ['deleted', 'has_experiment', 'ensure_experience_continuity'])
  for (const [field, words] of Object.entries(CHOICES)) {
    const word = fields[field]
    must(isAbsent(word) || words.some((known) => known === word), field, `must be one of ${words.join(', ')}`)
  }
  for (const field of ['evaluation_contexts', 'evaluation_tags']) {
    const given = fields[field]
    if (!isAbsent(given)) must(listAt(given, field).every(isText), field, 'must be an array of texts')
  }
}

/** Why the engine cannot evaluate a flag, or undefined. What the flag looks at is taken to be there, itself too. */
const flagProblem = (flag: NewFlag): string | undefined => {
  const { flags: others, cohorts } = standIns(referencesOfFlag(flag))
  const groupTypes = groupIndexesOf(flag).map(({ index }) => [index, 'group'])
  const { flags } = compile({
    flags: [...others, { ...flag, id: 0, key: PROBE, active: true, deleted: false }],
    cohorts,
    group_type_mapping: Object.fromEntries(groupTypes),
  })
  return flags.get(PROBE)?.problems[0]
}

/**
 * Checks one flag definition as somebody wrote it. `active` is true unless it says otherwise; id, version and dependency
 * chains are the service's, so given ones are left out. Fields that are not known stay. Whether the flags, cohorts and
 * group types it names are there is not looked at.
 *
 * @throws DefinitionError for a definition that cannot be stored or could not be evaluated.
 */
export const parseDefinition = (given: Json): NewFlag => {
  const { id: _id, version: _version, created_at: _c, updated_at: _u, ...rest } = definitionAt(given, 'a flag')
  const fields = { ...rest, active: rest['active'] === undefined ? true : rest['active'] }
  checkTop(fields)
  const filters = recordAt(rest['filters'], 'filters')
  const variants = checkVariants(filters['multivariate'])
  must(
    rest['has_experiment'] !== true || variants.size > 1,
    'filters.multivariate.variants',
    'must be two or more for a flag with an experiment',
  )
  const groups = listAt(filters['groups'], 'filters.groups').map((group, index) =>
    parseGroup(group, `filters.groups[${index}]`, variants),
  )
  const parts = groups.flatMap(({ properties }) => properties ?? []).length + groups.length
  must(parts <= MOST_PARTS, 'filters.groups', `have ${parts} conditions and filters; at most ${MOST_PARTS}`)
  checkPayloads(filters['payloads'], variants)
  checkGroupIndex(filters['aggregation_group_type_index'], 'filters')
  checkHoldout(filters['holdout'])
  checkSuperGroups(filters['super_groups'])
  checkSwitches(filters, ['early_exit', 'feature_enrollment'], 'filters.')
  // Every field that the type names was looked at above.
  const flag = { ...fields, filters: { ...filters, groups } } as unknown as NewFlag
  const problem = flagProblem(flag)
  if (problem !== undefined) throw evaluationError(problem)
  return flag
}
