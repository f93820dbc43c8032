import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { filtered, flagOf, findIdsBetween, run, findIdOnBound } from '../support/run-flag.ts'

describe('evaluateFlag', () => {
  it('treats a group type named like an inherited property as missing', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 })
    expect(run(definition, { groups: {} }, { group_type_mapping: { 0: 'constructor' } })).toMatchObject({
      value: false,
      reason: 'no_group_type',
    })
  })

  it('returns false for an inactive flag, whatever its definition', () => {
    const definition = flagOf({ groups: 'none' }, { active: false, ensure_experience_continuity: true })
    for (const complete of [true, false])
      expect(run(definition, { complete })).toEqual({
        value: false,
        variant: undefined,
        payload: undefined,
        payloadText: undefined,
        reason: 'flag_disabled',
        conditionIndex: undefined,
        inRollout: undefined,
      })
  })

  it('evaluates experience continuity only in the service, with the anonymous id', () => {
    const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] })
    const flagWithContinuity = { ...halfRollout, ensure_experience_continuity: true }
    expect(run(flagWithContinuity, { complete: false })).toMatchObject({
      value: undefined,
      reason: 'experience_continuity',
    })
    for (let n = 0; n < 20; n++) {
      const context = { distinctId: `user-${n}`, anonDistinctId: `anon-${n}` }
      expect(run(flagWithContinuity, context).value).toBe(
        run(halfRollout, { distinctId: context.anonDistinctId }).value,
      )
    }
  })

  it('returns the result and index of the first condition group that matches', () => {
    const definition = flagOf({
      groups: [
        { properties: [{ key: 'plan', value: 'pro' }], variant: 'b' },
        { rollout_percentage: 0 },
        { variant: 'a' },
        { variant: 'b' },
      ],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 50 },
          { key: 'b', rollout_percentage: 50 },
        ],
      },
      payloads: { a: '{"n":1}', b: { n: 2 } },
    })
    expect(run(definition)).toEqual({
      value: 'a',
      variant: 'a',
      payload: { n: 1 },
      payloadText: '{"n":1}',
      reason: 'condition_match',
      conditionIndex: 2,
      inRollout: true,
    })
    expect(run(definition, { personProperties: { plan: 'pro' } })).toMatchObject({
      value: 'b',
      payload: { n: 2 },
      payloadText: '{"n":2}',
      conditionIndex: 0,
    })
  })

  it('ignores an unknown variant override; without a variant the value is true', () => {
    const filtersWithGap = {
      multivariate: { variants: [{ key: 'a', rollout_percentage: 0 }] },
      payloads: { true: '1' },
    }
    expect(run(flagOf({ ...filtersWithGap, groups: [{ variant: 'none' }] }))).toMatchObject({ value: true, payload: 1 })
  })

  it('distinguishes exclusion by a rollout from filters that do not match', () => {
    expect(
      run(flagOf({ groups: [{ rollout_percentage: 0 }, { properties: [{ key: 'x', value: '1' }] }] })),
    ).toMatchObject({ value: false, reason: 'out_of_rollout_bound', conditionIndex: 0, inRollout: false })
    expect(run(flagOf({ groups: [] }))).toMatchObject({
      value: false,
      reason: 'no_condition_match',
      conditionIndex: undefined,
      inRollout: undefined,
    })
  })

  it('evaluates the next group after a rollout excludes, unless early_exit is set', () => {
    const groups = [{ rollout_percentage: 0 }, {}]
    expect(run(flagOf({ groups }))).toMatchObject({ value: true, conditionIndex: 1 })
    expect(run(flagOf({ groups, early_exit: false }))).toMatchObject({ value: true, conditionIndex: 1 })
    expect(run(flagOf({ groups, early_exit: true }))).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
      conditionIndex: 0,
    })
  })

  it('evaluates the next group after filters that do not match, even with early_exit', () => {
    const groups = [{ rollout_percentage: 0, properties: [{ key: 'x', value: '1' }] }, {}]
    expect(run(flagOf({ groups, early_exit: true }))).toMatchObject({ value: true, conditionIndex: 1 })
  })

  it('ends early without a value if an earlier group was inconclusive', () => {
    const groups = [{ properties: [{ key: 'x', value: '1' }] }, { rollout_percentage: 0 }, {}]
    expect(run(flagOf({ groups, early_exit: true }), { complete: false })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
    })
    expect(run(flagOf({ groups }), { complete: false })).toMatchObject({ value: true, conditionIndex: 2 })
  })

  it('includes ids up to the percentage, even fractions of a percent', () => {
    for (const percentage of [0.1, 12.5, 33.333]) {
      const definition = flagOf({ groups: [{ rollout_percentage: percentage }] })
      const share = percentage / 100
      for (const distinctId of findIdsBetween('flag.', share * 0.5, share))
        expect(run(definition, { distinctId }).value).toBe(true)
      for (const distinctId of findIdsBetween('flag.', share, share * 1.5))
        expect(run(definition, { distinctId }).value).toBe(false)
    }
  })

  it('includes an id exactly on the bound of the rollout, for persons and groups', () => {
    const { id, percentage } = findIdOnBound('flag.')
    const types = { group_type_mapping: { 0: 'company' } }
    const evaluateAt = (rollout_percentage: number): unknown[] => [
      run(flagOf({ groups: [{ rollout_percentage }] }), { distinctId: id }).value,
      run(
        flagOf({ groups: [{ rollout_percentage, aggregation_group_type_index: 0 }] }),
        { groups: { company: id } },
        types,
      ).value,
    ]
    expect(evaluateAt(percentage)).toEqual([true, true])
    expect(evaluateAt(percentage * (1 - 1e-9))).toEqual([false, false])
  })

  it('assigns the next variant to an id exactly on the bound of a variant', () => {
    const { id: distinctId, percentage } = findIdOnBound('flag.', 'variant')
    const variants = [
      { key: 'a', rollout_percentage: percentage },
      { key: 'b', rollout_percentage: 100 - percentage },
    ]
    expect(run(flagOf({ multivariate: { variants } }), { distinctId }).value).toBe('b')
    expect(run(flagOf({ multivariate: { variants: variants.slice(0, 1) } }), { distinctId }).value).toBe(true)
    const largerVariants = [{ key: 'a', rollout_percentage: percentage * (1 + 1e-9) }]
    expect(run(flagOf({ multivariate: { variants: largerVariants } }), { distinctId }).value).toBe('a')
  })

  it('returns the index of the last group whose rollout excludes the person', () => {
    const excludingGroup = { rollout_percentage: 0 }
    const notMatchingGroup = { properties: [{ key: 'x', value: '1' }] }
    expect(run(flagOf({ groups: [excludingGroup, notMatchingGroup, excludingGroup, notMatchingGroup] }))).toMatchObject(
      {
        reason: 'out_of_rollout_bound',
        conditionIndex: 2,
      },
    )
  })

  it('includes everyone when the percentage is absent, null or at least 100', () => {
    for (const rollout_percentage of [undefined, null, 100, 150])
      expect(run(flagOf({ groups: [{ rollout_percentage }] })).value).toBe(true)
  })

  it.each([
    ['', undefined],
    [0, undefined],
    [false, undefined],
    [null, undefined],
    ['plain text', 'plain text'],
    ['"quoted"', 'quoted'],
    ['0', 0],
    [[1], [1]],
  ])('returns the payload %j as %j', (raw, payload) => {
    const evaluation = run(flagOf({ payloads: { true: raw } }))
    expect(evaluation).toMatchObject({ value: true })
    expect('payload' in evaluation && evaluation.payload).toEqual(payload)
  })
})

describe('the payload of a variant', () => {
  it.each(['constructor', '__proto__', 'toString'])(
    'is undefined for a variant named %s that has no payload',
    (key) => {
      const definition = flagOf({ multivariate: { variants: [{ key, rollout_percentage: 100 }] }, payloads: {} })
      expect(run(definition)).toMatchObject({ value: key, payload: undefined, payloadText: undefined })
      const payloads = Object.fromEntries([[key, '1']])
      expect(run(flagOf({ ...definition.filters, payloads }))).toMatchObject({ value: key, payload: 1 })
    },
  )
})

describe('the id that a flag hashes', () => {
  const groupFlag = flagOf({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'plan', type: 'group', value: 'pro' }] }],
  })
  const mapping = { group_type_mapping: { 0: 'company' } }

  it('is the group key for a group flag, which reads group properties', () => {
    const context = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    expect(run(groupFlag, context, mapping)).toMatchObject({ value: true })
    expect(run(groupFlag, { groups: { company: 'acme' }, personProperties: { plan: 'pro' } }, mapping).value).toBe(
      false,
    )
    const halfRollout = flagOf({ aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] })
    const values = ['a', 'b'].map(
      (distinctId) => run(halfRollout, { distinctId, groups: { company: 'acme' } }, mapping).value,
    )
    expect(values[0]).toBe(values[1])
  })

  it('is also available as $group_key or distinct_id', () => {
    const flagOnGroupKey = flagOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: '$group_key', value: 'acme' }] }],
    })
    expect(run(flagOnGroupKey, { groups: { company: 'acme' }, complete: false }, mapping).value).toBe(true)
    expect(run(filtered({ key: 'distinct_id', value: 'u' }), { complete: false }).value).toBe(true)
  })

  it('is overridden by given properties named $group_key and distinct_id', () => {
    const flagOnGroupKey = flagOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: '$group_key', value: 'given' }] }],
    })
    const groups = { company: 'acme' }
    expect(run(flagOnGroupKey, { groups, groupProperties: { company: { $group_key: 'given' } } }, mapping).value).toBe(
      true,
    )
    const flagOnDistinctId = filtered({ key: 'distinct_id', value: 'given' })
    expect(run(flagOnDistinctId, { personProperties: { distinct_id: 'given' } }).value).toBe(true)
  })

  it('is hashKey, or else anonDistinctId, for a flag with experience continuity', () => {
    const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] }, { ensure_experience_continuity: true })
    const [insideId] = findIdsBetween('flag.', 0, 0.5, 1) as [string]
    const [outsideId] = findIdsBetween('flag.', 0.5, 1, 1) as [string]
    const withHashKey = (id: string): Partial<GivenContext> => ({ hashKey: id })
    expect(run(halfRollout, { distinctId: outsideId, anonDistinctId: outsideId, ...withHashKey(insideId) }).value).toBe(
      true,
    )
    expect(run(halfRollout, { distinctId: insideId, anonDistinctId: insideId, ...withHashKey(outsideId) }).value).toBe(
      false,
    )
    expect(run(halfRollout, { distinctId: outsideId, anonDistinctId: insideId, hashKey: undefined }).value).toBe(true)
  })

  it('turns a group flag off when it is missing; an unknown group type is inconclusive', () => {
    expect(run(groupFlag, {}, mapping)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(groupFlag, { complete: false }, mapping)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(groupFlag, { groups: { company: 'acme' } }, {})).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(groupFlag, { groups: { company: 'acme' }, complete: false }, {})).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringContaining('group type 0'),
    })
  })

  it('is never the device id for a group flag', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 }, { bucketing_identifier: 'device_id' })
    expect(run(definition, { groups: { company: 'acme' }, complete: false }, mapping).value).toBe(true)
  })

  const byDevice = { bucketing_identifier: 'device_id' }
  const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] }, byDevice)

  it('is the device id if the flag or its filters say so', () => {
    const [insideId] = findIdsBetween('flag.', 0, 0.5, 1) as [string]
    const [outsideId] = findIdsBetween('flag.', 0.5, 1, 1) as [string]
    const inFilters = flagOf({ ...byDevice, groups: [{ rollout_percentage: 50 }] })
    for (const [deviceId, distinctId, value] of [
      [insideId, outsideId, true],
      [outsideId, insideId, false],
    ] as const) {
      expect(run(halfRollout, { distinctId, deviceId }).value).toBe(value)
      expect(run(inFilters, { distinctId, deviceId }).value).toBe(value)
      const personProperties = { $device_id: deviceId }
      expect(run(halfRollout, { distinctId, complete: false, personProperties }).value).toBe(value)
    }
  })

  it.each([null, '', 'distinct_id'])('is the distinct id if the bucketing identifier is %j', (identifier) => {
    const definition = flagOf({}, { bucketing_identifier: identifier })
    expect(run(definition, { complete: false }).value).toBe(true)
  })

  it('is required by a local evaluator for a device flag even without a rollout', () => {
    const missingContext = { value: undefined, reason: 'missing_context' }
    expect(run(halfRollout, { complete: false })).toMatchObject(missingContext)
    expect(run(flagOf({}, byDevice), { complete: false, deviceId: '' })).toMatchObject(missingContext)
    const emptyDeviceId = { $device_id: '' }
    expect(run(flagOf({}, byDevice), { complete: false, personProperties: emptyDeviceId })).toMatchObject(
      missingContext,
    )
  })

  it.each<[PropertyFilter, string]>([
    [{ key: 'x', operator: 'sounds_like', value: 'a' }, 'unsupported_definition'],
    [{ key: 'x', operator: 'between', value: [1, 2] }, 'unsupported_definition'],
    [{ key: 'x', operator: 'semver_eq', value: '01.2' }, 'unsupported_definition'],
    [{ key: 'id', type: 'cohort', value: 9 }, 'unsupported_definition'],
    // An invalid pattern never matches, here and in the service.
    [{ key: 'x', operator: 'regex', value: '(unclosed' }, 'missing_context'],
  ])('reports an unsupported filter before a missing device (%j)', (filter, reason) => {
    const flagByDevice = { ...filtered(filter), bucketing_identifier: 'device_id' }
    expect(run(flagByDevice, { complete: false })).toMatchObject({ value: undefined, reason })
  })

  it('is outside the rollout in the service if it is missing and must be hashed', () => {
    const split = { multivariate: { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) } }
    const variantsWithShares = (a: number, b: number): object => ({
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: a },
          { key: 'b', rollout_percentage: b },
        ],
      },
    })
    const excludedResult = { value: false, reason: 'out_of_rollout_bound', conditionIndex: 0 }
    expect(run(halfRollout)).toMatchObject(excludedResult)
    expect(run(halfRollout, { personProperties: { $device_id: 'd1' } })).toMatchObject(excludedResult)
    expect(run(flagOf(split, byDevice))).toMatchObject(excludedResult)
    expect(run(flagOf({}, byDevice)).value).toBe(true)
    expect(run(flagOf(variantsWithShares(100, 0), byDevice)).value).toBe('a')
    expect(run(flagOf(variantsWithShares(0, 100), byDevice)).value).toBe('b')
    expect(run(flagOf(variantsWithShares(0, 99), byDevice))).toMatchObject(excludedResult)
    expect(run(flagOf(variantsWithShares(0, 0), byDevice)).value).toBe(true)
    expect(run(flagOf({ ...split, groups: [{ variant: 'b' }] }, byDevice)).value).toBe('b')
    expect(run(flagOf({ groups: [{ rollout_percentage: 50 }, {}] }, byDevice))).toMatchObject({ conditionIndex: 1 })
  })
})

describe('a condition group for another group type', () => {
  const types = { group_type_mapping: { 0: 'company', 1: 'project' } }
  const mixedFlag = flagOf({
    groups: [
      { aggregation_group_type_index: 0, properties: [{ key: 'plan', type: 'group', value: 'pro' }] },
      { properties: [{ key: 'email', value: 'a@b.c' }] },
    ],
  })

  it('reads the properties of that group', () => {
    const context = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    expect(run(mixedFlag, context, types)).toMatchObject({ value: true, conditionIndex: 0 })
    expect(run(mixedFlag, { groups: { company: 'acme' }, personProperties: { plan: 'pro' } }, types).value).toBe(false)
  })

  it('hashes that group', () => {
    const halfRollout = flagOf({ groups: [{ aggregation_group_type_index: 0, rollout_percentage: 50 }] })
    const personFlag = flagOf({ groups: [{ rollout_percentage: 50 }] })
    for (const company of ['a', 'b', 'c', 'd', 'e'])
      expect(run(halfRollout, { groups: { company } }, types).value).toBe(
        run(personFlag, { distinctId: company }).value,
      )
  })

  it('hashes that group even after a condition has hashed the person', () => {
    const [insideId] = findIdsBetween('flag.', 0, 0.5, 1) as [string]
    const [outsideId] = findIdsBetween('flag.', 0.5, 1, 1) as [string]
    const definition = flagOf({
      groups: [
        { rollout_percentage: 0 },
        { rollout_percentage: 50, aggregation_group_type_index: 0 },
        { rollout_percentage: 50 },
      ],
    })
    const evaluateFor = (distinctId: string, company: string): object =>
      run(definition, { distinctId, groups: { company } }, types)
    expect(evaluateFor(outsideId, insideId)).toMatchObject({ value: true, conditionIndex: 1 })
    expect(evaluateFor(insideId, outsideId)).toMatchObject({ value: true, conditionIndex: 2 })
    expect(evaluateFor(outsideId, outsideId)).toMatchObject({ value: false, conditionIndex: 2 })
  })

  it('is reported if it is the first condition group whose group is missing', () => {
    const groups = [
      { properties: [{ key: 'x', value: '1' }] },
      { aggregation_group_type_index: 0 },
      { aggregation_group_type_index: 1 },
    ]
    expect(run(flagOf({ groups }), {}, types)).toMatchObject({ reason: 'no_group_type', conditionIndex: 1 })
  })

  it('is skipped, and not inconclusive, if that group is missing', () => {
    for (const complete of [true, false]) {
      expect(run(mixedFlag, { personProperties: { email: 'a@b.c' }, complete }, types)).toMatchObject({
        value: true,
        conditionIndex: 1,
      })
      const projectFlag = flagOf({ groups: [{ aggregation_group_type_index: 1 }] })
      expect(run(projectFlag, { groups: { company: 'acme' }, complete }, types)).toMatchObject({
        value: false,
        reason: 'no_group_type',
        conditionIndex: 0,
      })
      expect(run(projectFlag, { groups: { project: 'p' }, complete }, {})).toMatchObject({ reason: 'no_group_type' })
    }
  })

  it('is inconclusive in a local evaluator without the properties of that group', () => {
    const context = { groups: { company: 'acme' }, complete: false, personProperties: { email: 'x' } }
    expect(run(mixedFlag, context, types)).toMatchObject({ value: undefined, reason: 'missing_context' })
  })

  it('matches everyone in that group when it has no filters', () => {
    const flagForAllGroups = flagOf({ groups: [{ aggregation_group_type_index: 1 }] })
    for (const complete of [true, false])
      expect(
        run(flagForAllGroups, { complete, groups: { team: 'a' } }, { group_type_mapping: { 1: 'team' } }),
      ).toMatchObject({
        value: true,
        conditionIndex: 0,
      })
  })

  it('uses the group of the flag if its own group type is the same or null', () => {
    for (const groupTypeIndex of [0, null, undefined]) {
      const definition = flagOf({
        aggregation_group_type_index: 0,
        groups: [{ aggregation_group_type_index: groupTypeIndex }],
      })
      expect(run(definition, { groups: { company: 'acme' } }, types).value).toBe(true)
    }
  })
})

describe('the enrolment of a person', () => {
  const definition = flagOf(
    {
      feature_enrollment: true,
      groups: [],
      payloads: { true: '"early"' },
      holdout: { id: 1, exclusion_percentage: 100 },
    },
    { key: 'beta' },
  )
  const evaluateChoice = (value: Json): Evaluation =>
    run(definition, { personProperties: { '$feature_enrollment/beta': value } })

  it.each([true, 'true', 'TRUE'])('decides before holdouts and conditions (%j)', (value) => {
    expect(evaluateChoice(value)).toMatchObject({ value: true, payload: 'early', reason: 'super_condition_value' })
  })

  it.each([false, 'false', null, 'yes', 1])('is a choice against the feature if its value is %j', (value) => {
    expect(evaluateChoice(value)).toMatchObject({ value: false, reason: 'super_condition_value' })
  })

  it('does not decide without a choice, which only the service can know', () => {
    expect(run(definition)).toMatchObject({ value: 'holdout-1' })
    expect(run(definition, { complete: false })).toMatchObject({ value: undefined, reason: 'missing_context' })
  })

  it('is ignored when the flag has no enrolment', () => {
    const properties = { '$feature_enrollment/flag': true }
    expect(run(flagOf({ groups: [] }), { personProperties: properties }).value).toBe(false)
    expect(run(flagOf({ groups: [], feature_enrollment: false }), { personProperties: properties }).value).toBe(false)
  })
})

describe('an unknown filter', () => {
  it('is a filter on an absent property, which has a result only in the service', () => {
    const evaluateBoth = (filter: PropertyFilter): unknown[] => [
      run(filtered(filter)).value,
      run(filtered(filter), { complete: false }).value,
    ]
    for (const operator of ['exact', 'icontains', 'starts_with', 'ends_with', 'gt', 'lte', 'is_set', 'regex'])
      expect([operator, ...evaluateBoth({ key: 'x', value: '1', operator })]).toEqual([operator, false, undefined])
    for (const operator of ['is_not', 'not_icontains', 'not_starts_with', 'not_ends_with', 'is_not_set', 'not_regex'])
      expect([operator, ...evaluateBoth({ key: 'x', value: '1', operator })]).toEqual([operator, true, undefined])
  })

  it('has no effect next to a filter that does not match or before a matching group', () => {
    const unknownFilter = { key: 'x', value: '1' }
    const notMatchingFilter = { key: 'plan', value: 'pro' }
    const context = { complete: false, personProperties: { plan: 'free' } }
    expect(run(filtered(unknownFilter, notMatchingFilter), context)).toMatchObject({
      value: false,
      reason: 'no_condition_match',
    })
    expect(run(flagOf({ groups: [{ properties: [unknownFilter] }, {}] }), context)).toMatchObject({
      value: true,
      conditionIndex: 1,
    })
  })

  it.each<[PropertyFilter, string]>([
    [{ key: 'x', value: '1', operator: 'is_within' }, '"is_within"'],
    [{ key: 'x', value: '1', type: 'behavioral' }, '"behavioral"'],
    [{ key: 'x', value: '(?=a)', operator: 'regex' }, 'lookaround'],
    [{ key: 'x', value: { a: 1 }, operator: 'gt' }, 'gt'],
  ])('is an unsupported filter; the next group is evaluated (case %#)', (filter, message) => {
    const context = { personProperties: { x: 'a' } }
    expect(run(filtered(filter), context)).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringMatching(/^filters\.groups\[0\]\.properties\[0\]: /),
    })
    expect(run(filtered(filter), context)).toMatchObject({ detail: expect.stringContaining(message) })
    expect(run(flagOf({ groups: [{ properties: [filter] }, {}] }), context)).toMatchObject({ conditionIndex: 1 })
  })

  it('with an unsupported pattern blocks a later group that has another value', () => {
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const properties = [{ key: 'x', value: '(?=a)', operator: 'regex' }]
    const evaluateGroups = (
      firstGroup: object,
      secondGroup: object,
      otherFilters: object = {},
      personProperties: object = { x: 'a' },
    ): unknown =>
      run(flagOf({ ...otherFilters, groups: [{ properties, ...firstGroup }, secondGroup] }), {
        complete: false,
        personProperties: personProperties as JsonObject,
      }).value
    expect(evaluateGroups({ variant: 'a' }, { variant: 'b' }, { multivariate })).toBeUndefined()
    expect(evaluateGroups({ variant: 'a' }, { variant: 'a' }, { multivariate })).toBe('a')
    expect(evaluateGroups({}, {})).toBe(true)
    // The first group would end the evaluation with false if it matched.
    expect(evaluateGroups({ rollout_percentage: 0 }, {}, { early_exit: true })).toBeUndefined()
    expect(evaluateGroups({ rollout_percentage: 0 }, {})).toBe(true)
    // Two groups with different values: any later value differs from one of them.
    const [a, b] = ['a', 'b'].map((variant) => ({ properties, variant }))
    const evaluateThirdGroup = (variant: string): unknown =>
      run(flagOf({ multivariate, groups: [a, b, { variant }] }), { complete: false, personProperties: { x: 'a' } })
        .value
    expect([evaluateThirdGroup('a'), evaluateThirdGroup('b')]).toEqual([undefined, undefined])
    // An absent property is missing, as for any other filter.
    expect(evaluateGroups({ variant: 'a' }, { variant: 'b' }, { multivariate }, {})).toBe('b')
  })

  it('does not block later groups when its rollout excludes the person', () => {
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const groupWithPattern = { properties: [{ key: 'x', operator: 'regex', value: '(?=a)' }] }
    const flagWithExclusion = flagOf({
      multivariate,
      groups: [{ ...groupWithPattern, rollout_percentage: 0 }, { variant: 'b' }],
    })
    const context = { personProperties: { x: 'a' } }
    for (const complete of [true, false])
      expect(run(flagWithExclusion, { ...context, complete })).toMatchObject({ value: 'b', conditionIndex: 1 })
    const flagWithoutHash = flagOf(
      { multivariate, groups: [groupWithPattern, { variant: 'b' }] },
      { bucketing_identifier: 'device_id' },
    )
    expect(run(flagWithoutHash, context)).toMatchObject({ value: 'b', conditionIndex: 1 })
    const flagWithOneGroup = flagOf({ multivariate, groups: [groupWithPattern] }, { bucketing_identifier: 'device_id' })
    expect(run(flagWithOneGroup, context)).toMatchObject({ value: undefined, reason: 'unsupported_definition' })
  })

  it('reports the strongest of several reasons', () => {
    const missingFilter = { key: 'x', value: '1' }
    const unsupportedFilter = { key: 'y', value: '1', operator: 'is_within' }
    const context = { complete: false }
    for (const properties of [
      [missingFilter, unsupportedFilter],
      [unsupportedFilter, missingFilter],
    ]) {
      expect(run(filtered(...properties), context)).toMatchObject({ reason: 'unsupported_definition' })
      const flagWithTwoGroups = flagOf({ groups: properties.map((filter) => ({ properties: [filter] })) })
      expect(run(flagWithTwoGroups, context)).toMatchObject({ reason: 'unsupported_definition' })
    }
    const flagWithCohort = flagOf(
      { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 9 }] }] },
      { key: 'listed' },
    )
    const dependencyFilter = { key: 'listed', type: 'flag', operator: 'flag_evaluates_to', value: true }
    const flagWithDependency = flagOf({
      groups: [{ properties: [unsupportedFilter] }, { properties: [dependencyFilter] }, {}],
    })
    expect(run(flagWithDependency, context, { flags: [flagWithCohort] })).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      requiresServer: true,
    })
    const flagWithContinuity = flagOf(
      { groups: [{ properties: [unsupportedFilter] }] },
      { ensure_experience_continuity: true },
    )
    expect(run(flagWithContinuity, context)).toMatchObject({ reason: 'experience_continuity' })
    const flagByDevice = flagOf(
      { groups: [{ properties: [unsupportedFilter] }] },
      { bucketing_identifier: 'device_id' },
    )
    expect(run(flagByDevice, context)).toMatchObject({ reason: 'unsupported_definition' })
  })

  it('is a filter on a property that contains itself; nothing is thrown', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['loop'] = cyclic
    expect(run(filtered({ key: 'x', value: 'a' }), { personProperties: { x: cyclic as JsonObject } })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
    })
  })

  it.each([
    ['no toString', Object.create(null) as unknown],
    [
      'a toString that throws',
      {
        toString: () => {
          throw new Error('no')
        },
      },
    ],
  ])('is a filter on a property whose getter throws a value with %s', (_description, thrown) => {
    const personProperties = {
      get plan(): string {
        throw thrown
      },
    }
    expect(run(filtered({ key: 'plan', value: 'pro' }), { personProperties })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
      detail: 'the flag cannot be evaluated: an unreadable value was thrown',
    })
  })

  it('does not read inherited properties', () => {
    expect(run(filtered({ key: 'constructor', operator: 'is_set' })).value).toBe(false)
    expect(run(filtered({ key: '__proto__', operator: 'is_set' })).value).toBe(false)
  })
})

describe('bucketing', () => {
  const share = fc.double({ min: 0, max: 100, noNaN: true })

  it('returns the same value for the same person each time', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), share, (distinctId, rollout_percentage) => {
        const definition = flagOf({ groups: [{ rollout_percentage }] })
        expect(run(definition, { distinctId })).toEqual(run(definition, { distinctId }))
      }),
    )
  })

  it('keeps all included persons when a rollout grows', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), share, share, (distinctId, firstPercentage, secondPercentage) => {
        const lower = Math.min(firstPercentage, secondPercentage)
        const higher = Math.max(firstPercentage, secondPercentage)
        const evaluateAt = (rollout_percentage: number): unknown =>
          run(flagOf({ groups: [{ rollout_percentage }] }), { distinctId }).value
        if (evaluateAt(lower)) expect(evaluateAt(higher)).toBe(true)
      }),
    )
  })

  it('gives rollouts and variants about their percentage of persons', () => {
    const personCount = 20_000
    const measureShare = (definition: FlagDefinition, value: unknown): number => {
      const flag = compile({ flags: [definition] }).flags.get('flag')!
      let matchCount = 0
      for (let n = 0; n < personCount; n++)
        if (evaluateFlag(flag, evaluationContext({ distinctId: `p${n}`, complete: true, now: 0 })).value === value)
          matchCount++
      return matchCount / personCount
    }
    expect(measureShare(flagOf({ groups: [{ rollout_percentage: 0.5 }] }), true)).toBeCloseTo(0.005, 2)
    expect(measureShare(flagOf({ groups: [{ rollout_percentage: 45 }] }), true)).toBeCloseTo(0.45, 1)
    const split = flagOf({
      groups: [{ rollout_percentage: 50 }],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 33.4 },
          { key: 'b', rollout_percentage: 66.6 },
        ],
      },
    })
    expect(measureShare(split, 'a')).toBeCloseTo(0.167, 1)
    expect(measureShare(split, 'b')).toBeCloseTo(0.333, 1)
    expect(measureShare(split, true)).toBe(0)
  })
})
