import * as fc from 'fast-check'
import type {
  CohortDefinition,
  ConditionGroup,
  FlagDefinition,
  FlagDefinitions,
  PropertyFilter,
} from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { getChain, isChainBroken } from './reference/dependencies.ts'
import type { Subject } from './reference/interpret.ts'

/** The time of generated cases: the last day of a month that follows a shorter month, in a leap year. */
export const now: number = Date.UTC(2024, 2, 31, 12)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const iso = (timestampMs: number): string => new Date(timestampMs).toISOString()

/** A property key with property values, operators and filter values that suit it. */
interface Theme {
  readonly key: string
  readonly propertyValues: readonly Json[]
  readonly operators: readonly (string | undefined)[]
  readonly filterValues: readonly Json[]
}

const themes: readonly Theme[] = [
  {
    key: 'plan',
    propertyValues: [
      'pro',
      'PRO',
      'Pro plan',
      'free',
      '',
      'null',
      'STRASSE',
      'Äpfel',
      null,
      true,
      7,
      1.5,
      ['pro'],
      { a: 'pro' },
    ],
    operators: [
      [undefined, 'exact', 'is_not', 'icontains', 'not_icontains'],
      ['starts_with', 'not_starts_with', 'ends_with', 'not_ends_with'],
    ].flat(),
    filterValues: [
      'pro',
      'PRO',
      'free',
      '',
      'o',
      'NULL',
      'äpfel',
      ['free', 'pro'],
      ['x', 'Null'],
      null,
      1.5,
      '7',
      '["pro"]',
    ],
  },
  {
    key: 'beta',
    propertyValues: [true, false, 'true', 'FALSE', 'banana', 0, 1, null, [], [true], ['false'], [true, 'no'], {}],
    operators: [undefined, 'exact', 'is_not'],
    filterValues: [true, false, 'true', 'False', [], [true], ['true', 'FALSE'], ['true', 'x'], [['true']], 'yes', null],
  },
  {
    key: 'age',
    propertyValues: [0, -1, 9, 10, 10.5, 18, '9', '10', '18.0', '123aloha', 'abc', '', true, null, [10], {}],
    operators: ['gt', 'gte', 'lt', 'lte'],
    filterValues: [0, 10, 10.5, '10', '9', '18', 'abc', '12x', '', null, true],
  },
  {
    key: 'score',
    propertyValues: [0, 1, 1.5, '1', '1.5', 'PRO', null, [1], [1.5]],
    operators: ['exact', 'is_not'],
    filterValues: [1, 1.5, '1', '1.5', [1, 'PRO'], ['PRO', 1], [1.5], '[1.5]', { a: 1 }, { a: 'x' }],
  },
  {
    key: 'joined',
    propertyValues: [
      ['2024-03-30', '2023-02-28', '2024-02-29T12:00:00Z', '2024-03-31T13:00:00+02:00', 'abcdef', '', true, null],
      [
        iso(now - 2 * HOUR_MS),
        iso(now - DAY_MS),
        iso(now - 31 * DAY_MS),
        iso(now - 366 * DAY_MS),
        iso(now),
        iso(now + DAY_MS),
      ],
      ['2024-02-30', 'March 30, 2024', '2024-03-31 12:00:00', '2024-03-31 11:30', '2024-03-31 12:00:01 GMT'],
      [now - 3 * DAY_MS, 0, {}, [], 1e20],
    ].flat(),
    operators: ['is_date_before', 'is_date_after'],
    filterValues: [
      ['-1h', '2h', '-1d', '7d', '1w', '-1m', '13m', '1y', '-4y', '9999d', '10000d', '0d', '-1q'],
      [
        '2024-03-30',
        '2024-02-29T12:00:00Z',
        '2024-03-31T12:00:00+02:00',
        'soon',
        'Mar 2024',
        '2024-03-31 12:00:00',
        now - DAY_MS,
        true,
        null,
      ],
    ].flat(),
  },
  {
    key: 'seen',
    propertyValues: ['2024-03-31 12:00', '2024-03-31T11:30:00', '2024-03-31T12:00:00Z', '2024-03-31 13:00:00+02:00'],
    operators: ['is_date_before', 'is_date_after'],
    filterValues: ['2024-03-31 12:00:00', '2024-03-31T11:00', '2024-03-31T12:00:00.5Z', '1h'],
  },
  {
    key: 'version',
    propertyValues: [
      [
        '1.2.3',
        'v1.2.3',
        ' 1.2.4 ',
        '1.2',
        '1',
        '1.3.0-beta',
        '2.0.0+5',
        '0.2.9',
        '0.0.3',
        '0.0.4',
        '0.3.0',
        '1.2.3.4',
        '10.0.0',
      ],
      ['1.07', 'abc', '', '.1', '1..2', null, 1.2, true],
    ].flat(),
    operators: [
      ['semver_eq', 'semver_neq', 'semver_gt', 'semver_gte', 'semver_lt', 'semver_lte'],
      ['semver_tilde', 'semver_caret', 'semver_wildcard'],
    ].flat(),
    filterValues: [
      '1.2.3',
      '1.2',
      'v1',
      '0.2.3',
      '0.0.3',
      '1.2.3-rc.1',
      '1.*',
      '1.2.*',
      '*',
      '01.2',
      'x',
      '',
      1.2,
      null,
    ],
  },
  {
    key: 'email',
    propertyValues: [
      'ada@example.com',
      'BOB@EXAMPLE.COM',
      'a+b@c.d',
      'line\nbreak',
      'line\r\nbreak',
      'null',
      '',
      'zoë@example.com',
      42,
      null,
    ],
    operators: ['regex', 'not_regex'],
    filterValues: [
      ['@example\\.com$', '^a', '', '[a-z]+@', '\\d{2}', '(ada|bob)@', '.+', '^null$', 'a|', '[^@]+$', '(?:x)?y'],
      ['(unclosed', '(?=a)a', '(a)\\1', '\\bexample\\b', 42, null],
    ].flat(),
  },
]

/** Patterns that are supported nowhere, or only in the service. */
const unsupportedPatterns: Theme = {
  key: 'email',
  propertyValues: [],
  operators: ['regex', 'not_regex'],
  filterValues: ['(?=a)a', '(a)\\1', '\\bexample\\b'],
}

/** Operators that only the service has, and one that does not exist. */
const serviceOperators: Theme = {
  key: 'age',
  propertyValues: [],
  operators: ['between', 'not_between', 'icontains_multi', 'not_icontains_multi', 'is_date_exact', 'is_within'],
  filterValues: [[5, 15], ['1', '10'], ['pro', '0'], '2024-03-30', 'x'],
}

const pick = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

/** The type of a filter, which has no effect: the condition group or flag decides whose properties are read. */
const propertyType = pick(['person', 'person', 'group', undefined])

const filterOfTheme = ({ key, operators, filterValues }: Theme): fc.Arbitrary<PropertyFilter> =>
  fc.record({
    key: fc.constant(key),
    type: propertyType,
    operator: pick(operators),
    value: pick(filterValues),
    negation: pick([undefined, undefined, false, true]),
  })

const presenceFilter: fc.Arbitrary<PropertyFilter> = fc.record({
  key: pick([...themes.map(({ key }) => key), 'nowhere', '$group_key', 'distinct_id', 'toString']),
  type: fc.constant('person'),
  operator: pick(['is_set', 'is_not_set']),
  value: fc.constant('is_set'),
})

const subjectFilter: fc.Arbitrary<PropertyFilter> = fc.record({
  key: pick(['distinct_id', '$group_key']),
  type: fc.constant('person'),
  operator: pick(['exact', 'is_not', 'icontains']),
  value: pick<Json>(['user-1', ['user-2', 'acme'], 'e']),
})

const propertyFilter: fc.Arbitrary<PropertyFilter> = fc.oneof(
  ...themes.map((theme) => ({ arbitrary: filterOfTheme(theme), weight: 4 })),
  { arbitrary: presenceFilter, weight: 3 },
  { arbitrary: subjectFilter, weight: 2 },
  { arbitrary: filterOfTheme(unsupportedPatterns), weight: 4 },
  { arbitrary: filterOfTheme(serviceOperators), weight: 1 },
)

const flagKey = (index: number): string => `flag-${index}`

/** A filter on a flag: mostly an earlier flag, which makes chains; sometimes any flag, which makes cycles, or a missing one. */
const dependencyFilter = (index: number, flagCount: number): fc.Arbitrary<PropertyFilter> =>
  fc
    .record({
      dependencyIndex: fc.oneof(
        { arbitrary: fc.nat({ max: Math.max(index - 1, 0) }), weight: 12 },
        { arbitrary: fc.nat({ max: flagCount }), weight: 1 },
      ),
      value: pick<Json>([true, true, false, 'a', 'b', 'holdout-7']),
      hasChain: pick([...Array<boolean>(7).fill(true), false]),
    })
    .map(({ dependencyIndex, value, hasChain }) => ({
      key: flagKey(dependencyIndex),
      type: 'flag',
      operator: 'flag_evaluates_to',
      value,
      dependency_chain: hasChain ? undefined : null,
    }))

const cohortCount = 5

/** A filter on a cohort: mostly one of the definitions, sometimes a static one, which they do not contain. */
const cohortFilter = (maxId: number): fc.Arbitrary<PropertyFilter> => {
  const id = fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: Math.max(maxId, 1) }), weight: 9 },
    { arbitrary: fc.constant(99), weight: 1 },
  )
  return fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    value: fc.oneof(id, id.map(String)),
    operator: pick([undefined, 'in', 'exact', 'not_in']),
  })
}

const withNegation = ([filter, negation]: readonly [PropertyFilter, boolean]): PropertyFilter =>
  negation ? { ...filter, negation } : filter

/** A condition of a cohort. */
const cohortCondition = (id: number, flagCount: number): fc.Arbitrary<PropertyFilter> =>
  fc
    .tuple(
      fc.oneof(
        { arbitrary: propertyFilter, weight: 8 },
        { arbitrary: cohortFilter(id - 1), weight: id > 1 ? 2 : 0 },
        { arbitrary: dependencyFilter(3, flagCount), weight: 1 },
      ),
      fc.boolean(),
    )
    .map(withNegation)

const cohort = (id: number, flagCount: number): fc.Arbitrary<CohortDefinition> => {
  const flatCohort: fc.Arbitrary<CohortDefinition> = fc.record({
    type: pick(['AND', 'OR', 'property'] as const),
    values: fc.array(cohortCondition(id, flagCount), { minLength: 1, maxLength: 3 }),
  })
  const flatOrEmpty = fc.oneof(
    { arbitrary: flatCohort, weight: 8 },
    { arbitrary: fc.record({ type: pick(['AND', 'OR'] as const), values: fc.constant([]) }), weight: 1 },
    { arbitrary: fc.constant({}), weight: 1 },
  )
  const nested = (inner: fc.Arbitrary<CohortDefinition>): fc.Arbitrary<CohortDefinition> =>
    fc.record({
      type: pick(['AND', 'OR'] as const),
      values: fc.oneof(
        { arbitrary: fc.array(inner, { minLength: 1, maxLength: 3 }), weight: 6 },
        fc.array(fc.oneof(inner, cohortCondition(id, flagCount)), { minLength: 2, maxLength: 3 }),
      ),
    })
  return fc.oneof(
    { arbitrary: flatOrEmpty, weight: 3 },
    nested(flatOrEmpty),
    nested(fc.oneof(flatOrEmpty, nested(flatOrEmpty))),
  )
}

const percentage = fc.oneof(
  { arbitrary: pick<number | null | undefined>([100, 100, 100, null, undefined]), weight: 4 },
  { arbitrary: pick([0, 0.1, 33.4, 50, 99.9]), weight: 2 },
  { arbitrary: fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10), weight: 2 },
)

/** The group type of a condition group or flag: mostly none, for persons. The definitions contain types 0 and 1, but not 2. */
const groupIndex = (weight: number): fc.Arbitrary<number | null | undefined> =>
  fc.oneof(
    { arbitrary: pick([undefined, null]), weight },
    { arbitrary: pick([0, 0, 1]), weight: 2 },
    { arbitrary: fc.constant(2), weight: 1 },
  )

const variantKeys = ['a', 'b', 'true'] as const

const conditionGroup = (index: number, flagCount: number): fc.Arbitrary<ConditionGroup> =>
  fc.record(
    {
      properties: fc.array(
        fc.oneof(
          { arbitrary: propertyFilter, weight: 8 },
          { arbitrary: cohortFilter(cohortCount), weight: 2 },
          { arbitrary: dependencyFilter(index, flagCount), weight: index > 0 ? 2 : 0 },
        ),
        { maxLength: 3 },
      ),
      rollout_percentage: percentage,
      variant: fc.oneof({ arbitrary: pick([null, undefined]), weight: 4 }, pick([...variantKeys, 'gone'])),
      aggregation_group_type_index: groupIndex(20),
    },
    { requiredKeys: ['properties'] },
  )

const multivariate = fc.oneof(
  { arbitrary: pick([null, undefined]), weight: 1 },
  {
    arbitrary: fc
      .subarray([...variantKeys], { minLength: 0 })
      .chain((keys) =>
        fc
          .array(pick([0, 10, 33.3, 50, 100]), { minLength: keys.length, maxLength: keys.length })
          .map((shares) => ({ variants: keys.map((key, index) => ({ key, rollout_percentage: shares[index]! })) })),
      ),
    weight: 1,
  },
)

const payloads = fc.option(
  fc.dictionary(
    pick(['true', 'a', 'b', 'holdout-7', 'false']),
    pick<Json>(['{"x":1}', '"text"', 'no json', '', 'null', '0', 0, 7, false, true, null, { y: [1] }, ['z']]),
  ),
)

const holdout = fc.oneof(
  { arbitrary: pick([null, undefined]), weight: 6 },
  {
    arbitrary: fc.record({
      id: pick<number | null>([7, 7, 8, null]),
      exclusion_percentage: pick<unknown>([0, 10, 50, 50, 100, 150, -5, '50', 'x', null]),
    }),
    weight: 1,
  },
)

const flag = (index: number, flagCount: number): fc.Arbitrary<FlagDefinition> =>
  fc
    .record({
      active: fc.oneof({ arbitrary: fc.constant(true), weight: 15 }, fc.constant(false)),
      continuity: fc.oneof({ arbitrary: pick([undefined, false, null]), weight: 20 }, fc.constant(true)),
      bucketing: fc.oneof(
        { arbitrary: pick([undefined, null, '', 'distinct_id']), weight: 8 },
        fc.constant('device_id'),
      ),
      filters: fc.record(
        {
          groups: fc.array(conditionGroup(index, flagCount), { maxLength: 4 }),
          multivariate,
          payloads,
          holdout,
          aggregation_group_type_index: groupIndex(15),
          early_exit: pick([undefined, false, true]),
          feature_enrollment: pick([...Array<undefined>(10), false, true]),
          bucketing_identifier: pick([...Array<undefined>(18), 'distinct_id', 'device_id']),
        },
        { requiredKeys: ['groups'] },
      ),
    })
    .map(({ active, continuity, bucketing, filters }) => ({
      id: index + 1,
      key: flagKey(index),
      active,
      ensure_experience_continuity: continuity,
      bucketing_identifier: bucketing,
      filters: filters as FlagDefinition['filters'],
    }))

/** Flag definitions as received: with `dependency_chain` and without undefined values. */
export const definitionsArbitrary = (flagCount: number): fc.Arbitrary<FlagDefinitions> =>
  fc
    .record({
      flags: fc.tuple(...Array.from({ length: flagCount }, (_, index) => flag(index, flagCount))),
      cohorts: fc.tuple(...Array.from({ length: cohortCount }, (_, index) => cohort(index + 1, flagCount))),
      property_matching_version: pick([undefined, 1, 2]),
    })
    .map(({ flags, cohorts, property_matching_version }) => {
      const definitions: FlagDefinitions = {
        flags,
        cohorts: Object.fromEntries(cohorts.map((cohort, index) => [String(index + 1), cohort])),
        group_type_mapping: { 0: 'company', 1: 'project' },
        property_matching_version,
      }
      return withChains(JSON.parse(JSON.stringify(definitions)) as FlagDefinitions)
    })

/** Writes `dependency_chain` into each filter on a flag, except where null stands for an intact chain. */
const withChains = (definitions: FlagDefinitions): FlagDefinitions => {
  const addChain = (_: string, node: unknown): unknown => {
    if (typeof node !== 'object' || node === null || !('type' in node) || node.type !== 'flag') return node
    const filter = node as PropertyFilter
    const isOmitted = filter.dependency_chain === null && !isChainBroken(definitions, filter)
    return isOmitted ? filter : { ...filter, dependency_chain: getChain(definitions, filter) }
  }
  return JSON.parse(JSON.stringify(definitions, addChain)) as FlagDefinitions
}

const properties: fc.Arbitrary<JsonObject> = fc.record(
  {
    ...Object.fromEntries(themes.map(({ key, propertyValues }) => [key, pick(propertyValues)])),
    other: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
  },
  { requiredKeys: [] },
)

const enrolments: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.nat({ max: 3 }).map((index) => `$feature_enrollment/${flagKey(index)}`),
  fc.boolean(),
  { maxKeys: 2 },
)

const mergeProperties = ([first, second]: readonly [JsonObject, JsonObject]): JsonObject => ({ ...first, ...second })

/** A person with some properties, which are all that exist (`complete`) or only those that a local evaluator knows. */
export const subjectArbitrary = (complete: boolean): fc.Arbitrary<Subject> =>
  fc.record({
    distinctId: fc.oneof(pick(['user-1', 'user-2']), fc.uuid(), fc.string({ unit: 'grapheme', minLength: 1 })),
    deviceId: fc.oneof(fc.constant(undefined), pick(['', 'device-1']), fc.uuid()),
    anonDistinctId: fc.option(fc.uuid(), { nil: undefined }),
    groups: fc.record({ company: pick(['acme', 'globex']), project: fc.uuid() }, { requiredKeys: [] }),
    personProperties: fc.tuple(properties, enrolments).map(mergeProperties),
    groupProperties: fc.record({ company: properties, project: properties }, { requiredKeys: [] }),
    complete: fc.constant(complete),
    now: fc.constant(now),
  })
