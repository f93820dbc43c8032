import { expect, test } from 'vitest'
import { parseDefinition } from '../../../../src/service/flags/definitions/parse-definition.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

const withFilters = (filters: JsonObject): JsonObject => ({ key: 'f', filters: { groups: [{}], ...filters } })
const variants = (...shares: Json[]): JsonObject => ({
  variants: shares.map((rollout_percentage, index) => ({ key: `v${index}`, rollout_percentage })),
})

test('takes the smallest flag, which is on for everybody, and leaves id and version to the store', () => {
  expect(
    parseDefinition({ id: 7, version: 3, key: 'f', filters: { groups: [{}] }, evaluation_runtime: 'all' }),
  ).toEqual({
    key: 'f',
    active: true,
    filters: { groups: [{}] },
    evaluation_runtime: 'all',
  })
})

test('takes thirds, null percentages and payloads of variants', () => {
  const definition = withFilters({
    multivariate: variants(33.3, 33.3, 33.4),
    groups: [{ rollout_percentage: null, variant: 'v1', properties: [{ key: 'plan', operator: 'is_set' }] }],
    payloads: { true: '1', v2: { n: 1 } },
  })
  expect(parseDefinition(definition)).toMatchObject({ key: 'f' })
})

test('takes everything that the engine evaluates', () => {
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
  expect(parseDefinition(definition)).toEqual(definition)
  expect(parseDefinition(withFilters({ holdout: { id: null } }))).toMatchObject({ key: 'f' })
})

test('keeps no dependency chain that a writer gives', () => {
  const filter = { key: 'other', type: 'flag', value: true }
  const groups = [{ properties: [{ ...filter, dependency_chain: ['x', 'other'] }] }]
  expect(parseDefinition(withFilters({ groups }))).toMatchObject({ filters: { groups: [{ properties: [filter] }] } })
  expect(JSON.stringify(parseDefinition(withFilters({ groups })))).not.toContain('dependency_chain')
})

test('takes null, or nothing, for no payload and no super groups', () => {
  const filters = { groups: [], payloads: { true: null }, super_groups: null }
  expect(parseDefinition(withFilters(filters))).toMatchObject({ filters })
  expect(parseDefinition(withFilters({ super_groups: [] }))).toMatchObject({ filters: { super_groups: [] } })
})

test.each<[Json, string]>([
  [null, 'a flag must be an object'],
  [{ filters: { groups: [] } }, 'key must be a text of 1 to 400 characters that is not blank'],
  [{ key: '__proto__', filters: { groups: [] } }, 'key must not be "__proto__", which cannot be addressed'],
  [{ key: '..', filters: { groups: [] } }, 'key must not be "..", which cannot be addressed'],
  [{ key: ' \u00a0', filters: { groups: [] } }, 'key must be a text of 1 to 400 characters that is not blank'],
  [{ key: 'a\nb', filters: { groups: [] } }, 'key must have no control characters and no halves of surrogate pairs'],
  [{ key: 'a\ud800', filters: { groups: [] } }, 'key must have no control characters and no halves of surrogate pairs'],
  [{ key: 'f' }, 'filters must be an object'],
  [{ key: 'f', active: 1, filters: { groups: [] } }, 'active must be true or false'],
  [{ key: 'f', filters: {} }, 'filters.groups must be an array'],
  [withFilters({ groups: [3] }), 'filters.groups[0] must be an object'],
  [
    withFilters({ groups: [{}, { rollout_percentage: 101 }] }),
    'filters.groups[1].rollout_percentage must be a number from 0 to 100, or absent',
  ],
  [withFilters({ groups: [{ variant: 'x' }] }), 'filters.groups[0].variant must be the key of one of the variants'],
  [
    withFilters({ groups: [{ properties: [{ value: 1 }] }] }),
    'filters.groups[0].properties[0].key must be a text that is not empty',
  ],
  [withFilters({ groups: [{ properties: [{ key: 'x' }] }] }), 'filters.groups[0].properties[0].value is missing'],
  [withFilters({ multivariate: {} }), 'filters.multivariate.variants must be an array'],
  [withFilters({ multivariate: variants(60, 60) }), 'filters.multivariate.variants add up to 120 percent; at most 100'],
  [
    withFilters({ multivariate: variants('50') }),
    'filters.multivariate.variants[0].rollout_percentage must be a number from 0 to 100',
  ],
  [withFilters({ payloads: { v0: 1 } }), 'filters.payloads.v0 belongs to no variant, nor to "true"'],
  ...[0, false, ''].map((payload): [Json, string] => [
    withFilters({ payloads: { true: payload } }),
    'filters.payloads.true must not be 0, false or an empty text: clients would get no payload',
  ]),
  [
    withFilters({ super_groups: [{ rollout_percentage: 100 }] }),
    'filters.super_groups are not evaluated; use filters.feature_enrollment, or put them first in filters.groups',
  ],
  [
    withFilters({ aggregation_group_type_index: -1 }),
    'filters.aggregation_group_type_index must be a whole number from 0, or absent',
  ],
  [
    withFilters({ groups: [{ properties: [{ key: 'x', value: 1, operator: 'nearly' }] }] }),
    'filters.groups[0].properties[0] cannot be evaluated: the operator "nearly" is not supported',
  ],
  [
    withFilters({ groups: [{}, { properties: [{ key: 'x', value: '(', operator: 'not_regex' }] }] }),
    'filters.groups[1].properties[0].value is no regular expression',
  ],
  [
    withFilters({ groups: [{ properties: [{ key: 'x', value: '(?=a)', operator: 'regex' }] }] }),
    'filters.groups[0].properties[0] cannot be evaluated: regex: the pattern uses lookaround, flags or a named group',
  ],
])('says what is wrong and where (%#)', (given, message) => {
  expect(() => parseDefinition(given)).toThrow(expect.objectContaining({ message, name: 'DefinitionError' }))
})
