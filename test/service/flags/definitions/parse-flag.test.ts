import { expect, test } from 'vitest'
import { parseFlag } from '../../../../src/service/flags/definitions/parse-flag.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

const withFilters = (filters: JsonObject): JsonObject => ({ key: 'f', filters: { groups: [{}], ...filters } })
const variants = (...shares: Json[]): JsonObject => ({
  variants: shares.map((rollout_percentage, index) => ({ key: `v${index}`, rollout_percentage })),
})

test('accepts a minimal flag and drops its id and version', () => {
  expect(parseFlag({ id: 7, version: 3, key: 'f', filters: { groups: [{}] }, evaluation_runtime: 'all' })).toEqual({
    key: 'f',
    active: true,
    filters: { groups: [{}] },
    evaluation_runtime: 'all',
  })
})

test('accepts percentages of a third, null percentages and payloads of variants', () => {
  const definition = withFilters({
    multivariate: variants(33.3, 33.3, 33.4),
    groups: [{ rollout_percentage: null, variant: 'v1', properties: [{ key: 'plan', operator: 'is_set' }] }],
    payloads: { true: '1', v2: { n: 1 } },
  })
  expect(parseFlag(definition)).toMatchObject({ key: 'f' })
})

test('accepts every definition that the engine can evaluate', () => {
  const properties: JsonObject[] = [
    { key: 'plan', operator: 'icontains', value: 'pro', type: null },
    { key: 'version', operator: 'semver_gte', value: '1.2.3', type: 'person' },
    { key: 'seen', operator: 'is_date_after', value: '-7d' },
    { key: 'size', operator: 'gt', value: 5, type: 'group', group_type_index: 0 },
    { key: 'id', operator: 'not_in', value: 3, type: 'cohort' },
    { key: 'other', operator: 'flag_evaluates_to', value: 'red', type: 'flag' },
  ]
  const definition = {
    ...withFilters({
      groups: [{ properties }, { aggregation_group_type_index: 0, properties: null }],
      holdout: { id: 3, exclusion_percentage: 12.5 },
      early_exit: true,
      feature_enrollment: true,
      payloads: null,
    }),
    active: false,
    deleted: false,
    ensure_experience_continuity: null,
    bucketing_identifier: 'device_id',
    evaluation_contexts: ['web'],
  }
  expect(parseFlag(definition)).toEqual(definition)
  expect(parseFlag(withFilters({ holdout: { id: null } }))).toMatchObject({ key: 'f' })
})

test('drops dependency chains of the input', () => {
  const filter = { key: 'other', type: 'flag', value: true }
  const groups = [{ properties: [{ ...filter, dependency_chain: ['x', 'other'] }] }]
  expect(parseFlag(withFilters({ groups }))).toMatchObject({ filters: { groups: [{ properties: [filter] }] } })
  expect(JSON.stringify(parseFlag(withFilters({ groups })))).not.toContain('dependency_chain')
})

test('accepts null and missing payloads and super groups', () => {
  const filters = { groups: [], payloads: { true: null }, super_groups: null }
  expect(parseFlag(withFilters(filters))).toMatchObject({ filters })
  expect(parseFlag(withFilters({ super_groups: [] }))).toMatchObject({ filters: { super_groups: [] } })
})

test.each<[Json, string]>([
  [null, 'a flag must be an object'],
  [{ filters: { groups: [] } }, 'key must be a string of 1 to 400 characters that is not blank'],
  [
    { key: '__proto__', filters: { groups: [] } },
    'key must not be "__proto__", which cannot be used in URLs and objects',
  ],
  [{ key: '..', filters: { groups: [] } }, 'key must not be "..", which cannot be used in URLs and objects'],
  [{ key: ' \u00a0', filters: { groups: [] } }, 'key must be a string of 1 to 400 characters that is not blank'],
  [{ key: 'a\nb', filters: { groups: [] } }, 'key must not contain control characters or unpaired surrogates'],
  [{ key: 'a\ud800', filters: { groups: [] } }, 'key must not contain control characters or unpaired surrogates'],
  [{ key: 'f' }, 'filters must be an object'],
  [{ key: 'f', active: 1, filters: { groups: [] } }, 'active must be true or false'],
  [{ key: 'f', filters: {} }, 'filters.groups must be an array'],
  [withFilters({ groups: [3] }), 'filters.groups[0] must be an object'],
  [
    withFilters({ groups: [{}, { rollout_percentage: 101 }] }),
    'filters.groups[1].rollout_percentage must be a number from 0 to 100, or missing',
  ],
  [withFilters({ groups: [{ variant: 'x' }] }), 'filters.groups[0].variant must be the key of one of the variants'],
  [
    withFilters({ groups: [{ properties: [{ value: 1 }] }] }),
    'filters.groups[0].properties[0].key must be a non-empty string',
  ],
  [withFilters({ groups: [{ properties: [{ key: 'x' }] }] }), 'filters.groups[0].properties[0].value is missing'],
  [withFilters({ multivariate: {} }), 'filters.multivariate.variants must be an array'],
  [
    withFilters({ multivariate: variants(60, 60) }),
    'filters.multivariate.variants have rollout percentages that add up to 120; they must not exceed 100',
  ],
  [
    withFilters({ multivariate: variants('50') }),
    'filters.multivariate.variants[0].rollout_percentage must be a number from 0 to 100',
  ],
  [withFilters({ payloads: { v0: 1 } }), 'filters.payloads.v0 must be named after a variant, or "true"'],
  ...[0, false, ''].map((payload): [Json, string] => [
    withFilters({ payloads: { true: payload } }),
    'filters.payloads.true must not be 0, false or an empty string: clients would get no payload',
  ]),
  [
    withFilters({ super_groups: [{ rollout_percentage: 100 }] }),
    'filters.super_groups is not supported; use filters.feature_enrollment, or put these conditions first in filters.groups',
  ],
  [
    withFilters({ bucketing_identifier: 'device' }),
    'filters.bucketing_identifier must be one of distinct_id, device_id',
  ],
  [
    withFilters({ aggregation_group_type_index: -1 }),
    'filters.aggregation_group_type_index must be an integer of 0 or more, or missing',
  ],
  [
    withFilters({ groups: [{ properties: [{ key: 'x', value: 1, operator: 'nearly' }] }] }),
    'filters.groups[0].properties[0] cannot be evaluated: the operator "nearly" is not supported',
  ],
  [
    withFilters({ groups: [{}, { properties: [{ key: 'x', value: '(', operator: 'not_regex' }] }] }),
    'filters.groups[1].properties[0].value is not a valid regular expression: it has a group without an end',
  ],
  [
    withFilters({ groups: [{ properties: [{ key: 'x', value: '^[\\w-.]+$', operator: 'regex' }] }] }),
    'filters.groups[0].properties[0].value is not a valid regular expression: it has a range that begins or ends with a class, such as \\w',
  ],
  [
    withFilters({ groups: [{ properties: [{ key: 'x', value: '(?:(?:))*x', operator: 'not_regex' }] }] }),
    'filters.groups[0].properties[0].value is not a valid regular expression: it repeats an empty group',
  ],
  [
    withFilters({ groups: [{ properties: [{ key: 'x', value: '(?=a)', operator: 'regex' }] }] }),
    'filters.groups[0].properties[0] cannot be evaluated: regex: the pattern uses lookaround, flags or a named group',
  ],
])('rejects an invalid definition with the field and the rule (%#)', (input, message) => {
  expect(() => parseFlag(input)).toThrow(expect.objectContaining({ message, name: 'DefinitionError' }))
})
