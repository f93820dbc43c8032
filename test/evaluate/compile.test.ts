import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import { flagOf, run } from '../support/run-flag.ts'

/** Input from the network may not have the declared type. */
const compileAny = (definitions: unknown): ReturnType<typeof compile> => compile(definitions as FlagDefinitions)

describe('the property keys of a compiled flag set', () => {
  const cohorts = {
    1: {
      type: 'OR' as const,
      values: [
        { key: 'by-cohort', value: 1 },
        { key: 'id', type: 'cohort', value: 2 },
      ],
    },
    2: { type: 'AND' as const, values: [{ key: 'by-inner-cohort', operator: 'is_set' }] },
  }
  const inCohort = { key: 'id', type: 'cohort', value: 1 }

  it('contain the properties that flags read from persons and from each group type', () => {
    const compiledSet = compile({
      flags: [
        flagOf({ groups: [{ properties: [{ key: 'plan', value: 'pro' }] }, { properties: [inCohort] }] }),
        flagOf({ feature_enrollment: true, groups: [] }, { key: 'beta' }),
        flagOf(
          {
            aggregation_group_type_index: 0,
            groups: [
              { properties: [{ key: 'seats', operator: 'gt', value: 5 }] },
              { aggregation_group_type_index: 1, properties: [{ key: 'stage', value: 'live' }] },
            ],
          },
          { key: 'grouped' },
        ),
        flagOf({ groups: [{ properties: [{ key: 'unread', value: 1 }] }] }, { key: 'off', active: false }),
      ],
      cohorts,
      group_type_mapping: { 0: 'company', 1: 'project' },
    })
    expect([...compiledSet.personKeys].sort()).toEqual([
      '$feature_enrollment/beta',
      'by-cohort',
      'by-inner-cohort',
      'plan',
    ])
    expect(compiledSet.groupKeys).toEqual(
      new Map([
        ['company', new Set(['seats'])],
        ['project', new Set(['stage'])],
      ]),
    )
  })

  it('are empty for flags without conditions', () => {
    const compiledSet = compile({
      flags: [flagOf({ aggregation_group_type_index: 0 }), flagOf({}, { key: 'b' })],
      group_type_mapping: { 0: 'company' },
    })
    expect([compiledSet.personKeys.size, compiledSet.groupKeys.size]).toEqual([0, 0])
  })
})

describe('a compiled flag set', () => {
  it('keeps the order of flags, without deleted flags and duplicate keys', () => {
    const { flags } = compile({
      flags: [
        flagOf({}, { key: 'b' }),
        flagOf({}, { key: 'gone', deleted: true }),
        flagOf({}, { key: 'a' }),
        flagOf({}, { key: 'b', active: false }),
      ],
    })
    expect([...flags.keys()]).toEqual(['b', 'a'])
    expect(evaluateFlag(flags.get('b')!, evaluationContext({ distinctId: 'u', complete: true, now: 0 })).value).toBe(
      false,
    )
  })

  it('contains the evaluation order of each flag', () => {
    const dependOn = (key: string): object => ({ groups: [{ properties: [{ key, type: 'flag', value: true }] }] })
    const { chains } = compile({
      flags: [
        flagOf(dependOn('b'), { key: 'c' }),
        flagOf(dependOn('a'), { key: 'b' }),
        flagOf({}, { key: 'a' }),
        flagOf(dependOn('self'), { key: 'self' }),
      ],
    })
    expect(Object.fromEntries(chains)).toEqual({ a: ['a'], b: ['a', 'b'], c: ['a', 'b', 'c'] })
  })

  it.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{}],
    [{ flags: {} }],
    [{ flags: [null, 5, 'x', [], {}, { key: 7 }] }],
  ])('is empty for definitions without flags (case %#)', (definitions) => {
    const compiledSet = compileAny(definitions)
    expect([
      compiledSet.flags.size,
      compiledSet.personKeys.size,
      compiledSet.groupKeys.size,
      compiledSet.chains.size,
    ]).toEqual([0, 0, 0, 0])
  })

  it('keeps the definition of each flag', () => {
    const definition = flagOf({}, { id: 7, version: 3 })
    expect(compile({ flags: [definition] }).flags.get('flag')!.definition).toBe(definition)
  })
})

describe('a malformed field', () => {
  /** Creates the `filters` of a flag: a condition group with these fields, and a group that matches everyone. */
  const filtersWithGroup = (fields: object): object => ({ groups: [fields, {}] })
  const filtersWithProperty = (property: unknown): object => filtersWithGroup({ properties: [property] })

  it.each<[string, object | string, object?]>([
    ...['yes', null, 0, undefined].map(
      (active) => ['active must be true or false', {}, { active }] as [string, object, object],
    ),
    ['filters must be an object', 'on', {}],
    ['filters.groups must be an array', { groups: {} }],
    ['filters.groups[0] must be an object', { groups: [7] }],
    ['filters.groups[0].properties must be an array', filtersWithGroup({ properties: {} })],
    ['filters.groups[0].properties[0] must be an object', filtersWithProperty('plan')],
    ['filters.groups[0].properties[0].key must be a non-empty string', filtersWithProperty({ value: 1 })],
    ['filters.groups[0].properties[0].type must be a non-empty string', filtersWithProperty({ key: 'a', type: 5 })],
    [
      'filters.groups[0].properties[0].operator must be a non-empty string',
      filtersWithProperty({ key: 'a', operator: {} }),
    ],
    [
      'filters.groups[0].properties[0].value must be the id of a cohort',
      filtersWithProperty({ key: 'id', type: 'cohort' }),
    ],
    ['filters.groups[0].rollout_percentage must be a number', filtersWithGroup({ rollout_percentage: '50' })],
    ['filters.groups[0].variant must be the key of a variant', filtersWithGroup({ variant: 5 })],
    [
      'filters.groups[0].aggregation_group_type_index must be a number',
      filtersWithGroup({ aggregation_group_type_index: 'a' }),
    ],
    ['filters.multivariate must be an object', { multivariate: [] }],
    ['filters.multivariate.variants must be an array', { multivariate: { variants: {} } }],
    ['filters.multivariate.variants[0] must be an object', { multivariate: { variants: [null] } }],
    [
      'filters.multivariate.variants[0].key must be a non-empty string',
      { multivariate: { variants: [{ rollout_percentage: 5 }] } },
    ],
    [
      'filters.multivariate.variants[0].rollout_percentage must be a number',
      { multivariate: { variants: [{ key: 'a' }] } },
    ],
    ['filters.payloads must be an object', { payloads: [] }],
    ['filters.aggregation_group_type_index must be a number', { aggregation_group_type_index: '0' }],
    ['filters.holdout must be an object', { holdout: 5 }],
    ...[{}, '', false].map((id): [string, object] => [
      'filters.holdout.id must be a number or a non-empty string',
      { holdout: { id, exclusion_percentage: 5 } },
    ]),
    ['filters.early_exit must be true or false', { early_exit: 1 }],
    ['filters.feature_enrollment must be true or false', { feature_enrollment: 'yes' }],
  ])('makes its flag inconclusive: %s', (detail, filters, flagFields = {}) => {
    const definition = typeof filters === 'string' ? flagOf({}, { filters }) : flagOf(filters, flagFields)
    for (const complete of [true, false])
      expect(run(definition, { complete })).toEqual({ value: undefined, reason: 'unsupported_definition', detail })
    const compiledSet = compile({ flags: [definition, flagOf({}, { key: 'good' })] })
    expect([...compiledSet.flags.values()].map(({ problems }) => problems)).toEqual([[detail], []])
  })

  it('is not a field that is absent or null', () => {
    const nullFields = {
      groups: [{ properties: null, rollout_percentage: null, variant: null, aggregation_group_type_index: null }],
      multivariate: null,
      payloads: null,
      aggregation_group_type_index: null,
      holdout: null,
      early_exit: null,
      feature_enrollment: null,
    }
    expect(run(flagOf(nullFields)).value).toBe(true)
    expect(run(flagOf({ groups: null }))).toMatchObject({ reason: 'no_condition_match' })
    expect(run({ ...flagOf({}), filters: null } as unknown as FlagDefinition)).toMatchObject({ value: false })
  })

  it('is not reported for a flag with experience continuity in a local evaluator', () => {
    const definition = flagOf({ groups: 5 }, { ensure_experience_continuity: true })
    expect(run(definition, { complete: false })).toMatchObject({ reason: 'experience_continuity' })
  })

  it('in group_type_mapping or cohorts makes group types or cohorts unknown', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 })
    for (const group_type_mapping of [5, [], { 0: 7 }, { 0: '' }, { 1: 'company' }])
      expect(
        run(definition, { complete: false }, { group_type_mapping } as unknown as Partial<FlagDefinitions>),
      ).toMatchObject({ reason: 'unsupported_definition' })
    const inCohort = flagOf({ groups: [{ properties: [{ key: 'id', type: 'cohort', value: 0 }] }] })
    expect(run(inCohort, {}, { cohorts: [{}] } as unknown as Partial<FlagDefinitions>)).toMatchObject({
      requiresServer: true,
    })
  })
})

describe('arbitrary input', () => {
  const strings =
    `person group cohort flag AND OR property in not_in flag_evaluates_to device_id exact is_not regex gt between
    is_date_before semver_caret semver_wildcard icontains_multi a b 0 1 __proto__ constructor -1d 1.2.3 (a+)+$ [ `.split(
      /\s+/,
    )
  const keys =
    `key active deleted filters groups properties rollout_percentage variant multivariate variants payloads holdout
    id exclusion_percentage early_exit feature_enrollment type value values operator negation dependency_chain 0 1 true a
    aggregation_group_type_index bucketing_identifier ensure_experience_continuity __proto__`.split(/\s+/)
  /** JSON that consists of strings and keys of definitions. */
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 6, depthSize: 'medium' },
      fc.constantFrom<unknown>(...strings, true, false, null, 0, 1, 50, 100, -1, 0.1, 1e308),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('json'), { maxKeys: 5 }),
    ),
  }))
  /** Mostly records with some of these fields, sometimes any JSON. */
  const recordOrJson = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 4, arbitrary: fc.record(shape, { requiredKeys: [] }) }, { weight: 1, arbitrary: json })
  const string = fc.constantFrom(...strings)
  const upToThree = (element: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.array(element, { maxLength: 3 })
  const filter = recordOrJson({
    key: string,
    type: string,
    operator: string,
    value: json,
    negation: fc.boolean(),
    dependency_chain: json,
  })
  const percentage = fc.constantFrom<unknown>(0, 50, 100, null, '5')
  const flag = recordOrJson({
    key: fc.constantFrom('a', 'b', '__proto__'),
    active: fc.constantFrom<unknown>(true, true, true, false, 1),
    ensure_experience_continuity: fc.boolean(),
    bucketing_identifier: string,
    filters: recordOrJson({
      groups: upToThree(
        recordOrJson({ properties: upToThree(filter), rollout_percentage: percentage, variant: string }),
      ),
      multivariate: recordOrJson({
        variants: upToThree(recordOrJson({ key: string, rollout_percentage: percentage })),
      }),
      payloads: json,
      holdout: recordOrJson({ id: percentage, exclusion_percentage: percentage }),
      aggregation_group_type_index: fc.constantFrom<unknown>(null, null, 0, 1),
      early_exit: fc.boolean(),
      feature_enrollment: fc.boolean(),
    }),
  })
  const definitions = recordOrJson({
    flags: upToThree(flag),
    cohorts: recordOrJson({ 0: recordOrJson({ type: string, values: upToThree(filter) }), 1: json }),
    group_type_mapping: recordOrJson({ 0: string }),
    property_matching_version: fc.constantFrom<unknown>(1, 2, 'x'),
  })

  it('compiles without errors, and evaluates to a value or a detail', () => {
    fc.assert(
      fc.property(definitions, json, fc.boolean(), (input, properties, complete) => {
        const compiledSet = compileAny(input)
        const propertyRecord = (typeof properties === 'object' && properties !== null ? properties : {}) as Record<
          string,
          never
        >
        const context = evaluationContext({
          distinctId: 'u',
          groups: { a: 'acme' },
          personProperties: propertyRecord,
          groupProperties: { a: propertyRecord },
          complete,
          now: 0,
        })
        for (const compiled of compiledSet.flags.values()) {
          const evaluation = evaluateFlag(compiled, context)
          if (evaluation.value === undefined) expect(evaluation.detail).not.toBe('')
          else expect(['boolean', 'string']).toContain(typeof evaluation.value)
          expect(evaluateFlag(compiled, context)).toEqual(evaluation)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('may be nested deeper than the call stack allows', () => {
    const nestedArrays = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown
    const flags = [
      flagOf({ payloads: { true: nestedArrays } }),
      flagOf({ groups: [{ properties: [{ key: 'x', value: nestedArrays }] }] }, { key: 'value' }),
    ]
    const compiledSet = compileAny({ flags })
    const context = evaluationContext({
      distinctId: 'u',
      personProperties: { x: nestedArrays as never },
      complete: true,
      now: 0,
    })
    for (const compiled of compiledSet.flags.values()) expect(evaluateFlag(compiled, context)).toHaveProperty('reason')
  })
})
