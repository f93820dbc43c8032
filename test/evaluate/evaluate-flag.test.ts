import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { filtered, flagOf, idsBetween, run, someoneOnBound } from '../support/run-flag.ts'

describe('evaluateFlag', () => {
  it('finds no group under an inherited property name', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 })
    expect(run(definition, { groups: {} }, { group_type_mapping: { 0: 'constructor' } })).toMatchObject({
      value: false,
      reason: 'no_group_type',
    })
  })

  it('is off for an inactive flag, before anything else', () => {
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

  it('leaves continuity to the service, which hashes the id before identify', () => {
    const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] })
    const continued = { ...halfRollout, ensure_experience_continuity: true }
    expect(run(continued, { complete: false })).toMatchObject({ value: undefined, reason: 'experience_continuity' })
    for (let n = 0; n < 20; n++) {
      const context = { distinctId: `user-${n}`, anonDistinctId: `anon-${n}` }
      expect(run(continued, context).value).toBe(run(halfRollout, { distinctId: context.anonDistinctId }).value)
    }
  })

  it('takes the first matching group in written order and returns its index', () => {
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

  it('ignores an unknown variant override and is true in a gap between variants', () => {
    const gap = { multivariate: { variants: [{ key: 'a', rollout_percentage: 0 }] }, payloads: { true: '1' } }
    expect(run(flagOf({ ...gap, groups: [{ variant: 'none' }] }))).toMatchObject({ value: true, payload: 1 })
  })

  it('distinguishes exclusion by the rollout from failing conditions', () => {
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

  it('tries the next group after a rollout excludes, unless early_exit is set', () => {
    const groups = [{ rollout_percentage: 0 }, {}]
    expect(run(flagOf({ groups }))).toMatchObject({ value: true, conditionIndex: 1 })
    expect(run(flagOf({ groups, early_exit: false }))).toMatchObject({ value: true, conditionIndex: 1 })
    expect(run(flagOf({ groups, early_exit: true }))).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
      conditionIndex: 0,
    })
  })

  it('does not stop at a group that does not match, even with early_exit', () => {
    const groups = [{ rollout_percentage: 0, properties: [{ key: 'x', value: '1' }] }, {}]
    expect(run(flagOf({ groups, early_exit: true }))).toMatchObject({ value: true, conditionIndex: 1 })
  })

  it('stops early without a value when an earlier group was inconclusive', () => {
    const groups = [{ properties: [{ key: 'x', value: '1' }] }, { rollout_percentage: 0 }, {}]
    expect(run(flagOf({ groups, early_exit: true }), { complete: false })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
    })
    expect(run(flagOf({ groups }), { complete: false })).toMatchObject({ value: true, conditionIndex: 2 })
  })

  it('includes hashes up to the percentage, also fractions of a percent', () => {
    for (const percentage of [0.1, 12.5, 33.333]) {
      const definition = flagOf({ groups: [{ rollout_percentage: percentage }] })
      const share = percentage / 100
      for (const distinctId of idsBetween('flag.', share * 0.5, share))
        expect(run(definition, { distinctId }).value).toBe(true)
      for (const distinctId of idsBetween('flag.', share, share * 1.5))
        expect(run(definition, { distinctId }).value).toBe(false)
    }
  })

  it('includes a hash exactly on the rollout bound, for persons and groups', () => {
    const { id, percentage } = someoneOnBound('flag.')
    const types = { group_type_mapping: { 0: 'company' } }
    const values = (rollout_percentage: number): unknown[] => [
      run(flagOf({ groups: [{ rollout_percentage }] }), { distinctId: id }).value,
      run(
        flagOf({ groups: [{ rollout_percentage, aggregation_group_type_index: 0 }] }),
        { groups: { company: id } },
        types,
      ).value,
    ]
    expect(values(percentage)).toEqual([true, true])
    expect(values(percentage * (1 - 1e-9))).toEqual([false, false])
  })

  it('gives a hash exactly on a variant bound the next variant', () => {
    const { id: distinctId, percentage } = someoneOnBound('flag.', 'variant')
    const variants = [
      { key: 'a', rollout_percentage: percentage },
      { key: 'b', rollout_percentage: 100 - percentage },
    ]
    expect(run(flagOf({ multivariate: { variants } }), { distinctId }).value).toBe('b')
    expect(run(flagOf({ multivariate: { variants: variants.slice(0, 1) } }), { distinctId }).value).toBe(true)
    const more = [{ key: 'a', rollout_percentage: percentage * (1 + 1e-9) }]
    expect(run(flagOf({ multivariate: { variants: more } }), { distinctId }).value).toBe('a')
  })

  it('reports the last group whose rollout excludes', () => {
    const excluded = { rollout_percentage: 0 }
    const failing = { properties: [{ key: 'x', value: '1' }] }
    expect(run(flagOf({ groups: [excluded, failing, excluded, failing] }))).toMatchObject({
      reason: 'out_of_rollout_bound',
      conditionIndex: 2,
    })
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
  ])('reads the payload %j as %j', (raw, payload) => {
    const evaluation = run(flagOf({ payloads: { true: raw } }))
    expect(evaluation).toMatchObject({ value: true })
    expect('payload' in evaluation && evaluation.payload).toEqual(payload)
  })
})

describe('the payload of a variant', () => {
  it.each(['constructor', '__proto__', 'toString'])('is undefined for one called %s without a payload', (key) => {
    const definition = flagOf({ multivariate: { variants: [{ key, rollout_percentage: 100 }] }, payloads: {} })
    expect(run(definition)).toMatchObject({ value: key, payload: undefined, payloadText: undefined })
    const payloads = Object.fromEntries([[key, '1']])
    expect(run(flagOf({ ...definition.filters, payloads }))).toMatchObject({ value: key, payload: 1 })
  })
})

describe('the id that a flag hashes', () => {
  const byGroup = flagOf({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'plan', type: 'group', value: 'pro' }] }],
  })
  const options = { group_type_mapping: { 0: 'company' } }

  it('is the group key for a group flag, which reads group properties', () => {
    const context = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    expect(run(byGroup, context, options)).toMatchObject({ value: true })
    expect(run(byGroup, { groups: { company: 'acme' }, personProperties: { plan: 'pro' } }, options).value).toBe(false)
    const halfRollout = flagOf({ aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] })
    const values = ['a', 'b'].map(
      (distinctId) => run(halfRollout, { distinctId, groups: { company: 'acme' } }, options).value,
    )
    expect(values[0]).toBe(values[1])
  })

  it('is also available as $group_key or distinct_id', () => {
    const keyed = flagOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: '$group_key', value: 'acme' }] }],
    })
    expect(run(keyed, { groups: { company: 'acme' }, complete: false }, options).value).toBe(true)
    expect(run(filtered({ key: 'distinct_id', value: 'u' }), { complete: false }).value).toBe(true)
  })

  it('gives way to given properties named $group_key and distinct_id', () => {
    const keyed = flagOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: '$group_key', value: 'given' }] }],
    })
    const groups = { company: 'acme' }
    expect(run(keyed, { groups, groupProperties: { company: { $group_key: 'given' } } }, options).value).toBe(true)
    const person = filtered({ key: 'distinct_id', value: 'given' })
    expect(run(person, { personProperties: { distinct_id: 'given' } }).value).toBe(true)
  })

  it('is hashKey before anonDistinctId for a flag with continuity', () => {
    const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] }, { ensure_experience_continuity: true })
    const [inside] = idsBetween('flag.', 0, 0.5, 1) as [string]
    const [outside] = idsBetween('flag.', 0.5, 1, 1) as [string]
    const withHashKey = (id: string): Partial<GivenContext> => ({ hashKey: id })
    expect(run(halfRollout, { distinctId: outside, anonDistinctId: outside, ...withHashKey(inside) }).value).toBe(true)
    expect(run(halfRollout, { distinctId: inside, anonDistinctId: inside, ...withHashKey(outside) }).value).toBe(false)
    expect(run(halfRollout, { distinctId: outside, anonDistinctId: inside, hashKey: undefined }).value).toBe(true)
  })

  it('turns a group flag off when missing; an unknown type is inconclusive locally', () => {
    expect(run(byGroup, {}, options)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { complete: false }, options)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { groups: { company: 'acme' } }, {})).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { groups: { company: 'acme' }, complete: false }, {})).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringContaining('group type 0'),
    })
  })

  it('is never the device for a group flag', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 }, { bucketing_identifier: 'device_id' })
    expect(run(definition, { groups: { company: 'acme' }, complete: false }, options).value).toBe(true)
  })

  const device = { bucketing_identifier: 'device_id' }
  const halfRollout = flagOf({ groups: [{ rollout_percentage: 50 }] }, device)

  it('is the device where the flag or its filters say so', () => {
    const [inside] = idsBetween('flag.', 0, 0.5, 1) as [string]
    const [outside] = idsBetween('flag.', 0.5, 1, 1) as [string]
    const inFilters = flagOf({ ...device, groups: [{ rollout_percentage: 50 }] })
    for (const [deviceId, distinctId, value] of [
      [inside, outside, true],
      [outside, inside, false],
    ] as const) {
      expect(run(halfRollout, { distinctId, deviceId }).value).toBe(value)
      expect(run(inFilters, { distinctId, deviceId }).value).toBe(value)
      const personProperties = { $device_id: deviceId }
      expect(run(halfRollout, { distinctId, complete: false, personProperties }).value).toBe(value)
    }
  })

  it.each([null, '', 'distinct_id'])('is the distinct id where the bucketing identifier is %j', (identifier) => {
    const definition = flagOf({}, { bucketing_identifier: identifier })
    expect(run(definition, { complete: false }).value).toBe(true)
  })

  it('is required locally for a device flag even when no hash is needed', () => {
    const unknown = { value: undefined, reason: 'missing_context' }
    expect(run(halfRollout, { complete: false })).toMatchObject(unknown)
    expect(run(flagOf({}, device), { complete: false, deviceId: '' })).toMatchObject(unknown)
    const empty = { $device_id: '' }
    expect(run(flagOf({}, device), { complete: false, personProperties: empty })).toMatchObject(unknown)
  })

  it.each<[PropertyFilter, string]>([
    [{ key: 'x', operator: 'sounds_like', value: 'a' }, 'unsupported_definition'],
    [{ key: 'x', operator: 'between', value: [1, 2] }, 'unsupported_definition'],
    [{ key: 'x', operator: 'semver_eq', value: '01.2' }, 'unsupported_definition'],
    [{ key: 'id', type: 'cohort', value: 9 }, 'unsupported_definition'],
    // An invalid pattern never matches, here and in the service.
    [{ key: 'x', operator: 'regex', value: '(unclosed' }, 'missing_context'],
  ])('reports an unsupported filter before a missing device (%j)', (filter, reason) => {
    const byDevice = { ...filtered(filter), bucketing_identifier: 'device_id' }
    expect(run(byDevice, { complete: false })).toMatchObject({ value: undefined, reason })
  })

  it('is outside the rollout in the service when missing and the hash matters', () => {
    const split = { multivariate: { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) } }
    const shares = (a: number, b: number): object => ({
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: a },
          { key: 'b', rollout_percentage: b },
        ],
      },
    })
    const excluded = { value: false, reason: 'out_of_rollout_bound', conditionIndex: 0 }
    expect(run(halfRollout)).toMatchObject(excluded)
    expect(run(halfRollout, { personProperties: { $device_id: 'd1' } })).toMatchObject(excluded)
    expect(run(flagOf(split, device))).toMatchObject(excluded)
    expect(run(flagOf({}, device)).value).toBe(true)
    expect(run(flagOf(shares(100, 0), device)).value).toBe('a')
    expect(run(flagOf(shares(0, 100), device)).value).toBe('b')
    expect(run(flagOf(shares(0, 99), device))).toMatchObject(excluded)
    expect(run(flagOf(shares(0, 0), device)).value).toBe(true)
    expect(run(flagOf({ ...split, groups: [{ variant: 'b' }] }, device)).value).toBe('b')
    expect(run(flagOf({ groups: [{ rollout_percentage: 50 }, {}] }, device))).toMatchObject({ conditionIndex: 1 })
  })
})

describe('a condition group for another group type', () => {
  const types = { group_type_mapping: { 0: 'company', 1: 'project' } }
  const mixed = flagOf({
    groups: [
      { aggregation_group_type_index: 0, properties: [{ key: 'plan', type: 'group', value: 'pro' }] },
      { properties: [{ key: 'email', value: 'a@b.c' }] },
    ],
  })

  it('reads the properties of that group', () => {
    const context = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    expect(run(mixed, context, types)).toMatchObject({ value: true, conditionIndex: 0 })
    expect(run(mixed, { groups: { company: 'acme' }, personProperties: { plan: 'pro' } }, types).value).toBe(false)
  })

  it('hashes that group', () => {
    const halfRollout = flagOf({ groups: [{ aggregation_group_type_index: 0, rollout_percentage: 50 }] })
    const plain = flagOf({ groups: [{ rollout_percentage: 50 }] })
    for (const company of ['a', 'b', 'c', 'd', 'e'])
      expect(run(halfRollout, { groups: { company } }, types).value).toBe(run(plain, { distinctId: company }).value)
  })

  it('hashes that group also after a condition hashed the person', () => {
    const [inside] = idsBetween('flag.', 0, 0.5, 1) as [string]
    const [outside] = idsBetween('flag.', 0.5, 1, 1) as [string]
    const definition = flagOf({
      groups: [
        { rollout_percentage: 0 },
        { rollout_percentage: 50, aggregation_group_type_index: 0 },
        { rollout_percentage: 50 },
      ],
    })
    const indexFor = (distinctId: string, company: string): object =>
      run(definition, { distinctId, groups: { company } }, types)
    expect(indexFor(outside, inside)).toMatchObject({ value: true, conditionIndex: 1 })
    expect(indexFor(inside, outside)).toMatchObject({ value: true, conditionIndex: 2 })
    expect(indexFor(outside, outside)).toMatchObject({ value: false, conditionIndex: 2 })
  })

  it('is reported as the first whose group is missing', () => {
    const groups = [
      { properties: [{ key: 'x', value: '1' }] },
      { aggregation_group_type_index: 0 },
      { aggregation_group_type_index: 1 },
    ]
    expect(run(flagOf({ groups }), {}, types)).toMatchObject({ reason: 'no_group_type', conditionIndex: 1 })
  })

  it('is skipped, not inconclusive, without that group', () => {
    for (const complete of [true, false]) {
      expect(run(mixed, { personProperties: { email: 'a@b.c' }, complete }, types)).toMatchObject({
        value: true,
        conditionIndex: 1,
      })
      const only = flagOf({ groups: [{ aggregation_group_type_index: 1 }] })
      expect(run(only, { groups: { company: 'acme' }, complete }, types)).toMatchObject({
        value: false,
        reason: 'no_group_type',
        conditionIndex: 0,
      })
      expect(run(only, { groups: { project: 'p' }, complete }, {})).toMatchObject({ reason: 'no_group_type' })
    }
  })

  it('is inconclusive locally without the properties of that group', () => {
    const context = { groups: { company: 'acme' }, complete: false, personProperties: { email: 'x' } }
    expect(run(mixed, context, types)).toMatchObject({ value: undefined, reason: 'missing_context' })
  })

  it('matches everyone in that group when it has no filters', () => {
    const everyone = flagOf({ groups: [{ aggregation_group_type_index: 1 }] })
    for (const complete of [true, false])
      expect(run(everyone, { complete, groups: { team: 'a' } }, { group_type_mapping: { 1: 'team' } })).toMatchObject({
        value: true,
        conditionIndex: 0,
      })
  })

  it('uses the group of the flag when it names that one or null', () => {
    for (const own of [0, null, undefined]) {
      const definition = flagOf({ aggregation_group_type_index: 0, groups: [{ aggregation_group_type_index: own }] })
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
  const chosen = (value: Json): Evaluation =>
    run(definition, { personProperties: { '$feature_enrollment/beta': value } })

  it.each([true, 'true', 'TRUE'])('decides before holdouts and conditions (%j)', (value) => {
    expect(chosen(value)).toMatchObject({ value: true, payload: 'early', reason: 'super_condition_value' })
  })

  it.each([false, 'false', null, 'yes', 1])('can be a refusal (%j)', (value) => {
    expect(chosen(value)).toMatchObject({ value: false, reason: 'super_condition_value' })
  })

  it('does not decide when no choice was made; locally that is unknown', () => {
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
  it('is one on an absent property, which only the service can decide', () => {
    const evaluateBoth = (filter: PropertyFilter): unknown[] => [
      run(filtered(filter)).value,
      run(filtered(filter), { complete: false }).value,
    ]
    for (const operator of ['exact', 'icontains', 'starts_with', 'ends_with', 'gt', 'lte', 'is_set', 'regex'])
      expect([operator, ...evaluateBoth({ key: 'x', value: '1', operator })]).toEqual([operator, false, undefined])
    for (const operator of ['is_not', 'not_icontains', 'not_starts_with', 'not_ends_with', 'is_not_set', 'not_regex'])
      expect([operator, ...evaluateBoth({ key: 'x', value: '1', operator })]).toEqual([operator, true, undefined])
  })

  it('does not matter next to a failing filter or before a matching group', () => {
    const unknown = { key: 'x', value: '1' }
    const failing = { key: 'plan', value: 'pro' }
    const context = { complete: false, personProperties: { plan: 'free' } }
    expect(run(filtered(unknown, failing), context)).toMatchObject({ value: false, reason: 'no_condition_match' })
    expect(run(flagOf({ groups: [{ properties: [unknown] }, {}] }), context)).toMatchObject({
      value: true,
      conditionIndex: 1,
    })
  })

  it.each<[PropertyFilter, string]>([
    [{ key: 'x', value: '1', operator: 'is_within' }, '"is_within"'],
    [{ key: 'x', value: '1', type: 'behavioral' }, '"behavioral"'],
    [{ key: 'x', value: '(?=a)', operator: 'regex' }, 'lookaround'],
    [{ key: 'x', value: { a: 1 }, operator: 'gt' }, 'gt'],
  ])('is one that is not supported; the next group is tried (%#)', (filter, message) => {
    const context = { personProperties: { x: 'a' } }
    expect(run(filtered(filter), context)).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringMatching(/^filters\.groups\[0\]\.properties\[0\]: /),
    })
    expect(run(filtered(filter), context)).toMatchObject({ detail: expect.stringContaining(message) })
    expect(run(flagOf({ groups: [{ properties: [filter] }, {}] }), context)).toMatchObject({ conditionIndex: 1 })
  })

  it('blocks a later group of another value when its pattern is not supported', () => {
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const properties = [{ key: 'x', value: '(?=a)', operator: 'regex' }]
    const valueOf = (
      first: object,
      second: object,
      more: object = {},
      personProperties: object = { x: 'a' },
    ): unknown =>
      run(flagOf({ ...more, groups: [{ properties, ...first }, second] }), {
        complete: false,
        personProperties: personProperties as JsonObject,
      }).value
    expect(valueOf({ variant: 'a' }, { variant: 'b' }, { multivariate })).toBeUndefined()
    expect(valueOf({ variant: 'a' }, { variant: 'a' }, { multivariate })).toBe('a')
    expect(valueOf({}, {})).toBe(true)
    // The first group would end the evaluation with false if it matched.
    expect(valueOf({ rollout_percentage: 0 }, {}, { early_exit: true })).toBeUndefined()
    expect(valueOf({ rollout_percentage: 0 }, {})).toBe(true)
    // Two groups with different values: any later value differs from one of them.
    const [a, b] = ['a', 'b'].map((variant) => ({ properties, variant }))
    const after = (variant: string): unknown =>
      run(flagOf({ multivariate, groups: [a, b, { variant }] }), { complete: false, personProperties: { x: 'a' } })
        .value
    expect([after('a'), after('b')]).toEqual([undefined, undefined])
    // An absent property is missing, as for any other filter.
    expect(valueOf({ variant: 'a' }, { variant: 'b' }, { multivariate }, {})).toBe('b')
  })

  it('does not block later groups when its rollout excludes the person', () => {
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const searched = { properties: [{ key: 'x', operator: 'regex', value: '(?=a)' }] }
    const excluded = flagOf({ multivariate, groups: [{ ...searched, rollout_percentage: 0 }, { variant: 'b' }] })
    const context = { personProperties: { x: 'a' } }
    for (const complete of [true, false])
      expect(run(excluded, { ...context, complete })).toMatchObject({ value: 'b', conditionIndex: 1 })
    const unhashed = flagOf(
      { multivariate, groups: [searched, { variant: 'b' }] },
      { bucketing_identifier: 'device_id' },
    )
    expect(run(unhashed, context)).toMatchObject({ value: 'b', conditionIndex: 1 })
    const alone = flagOf({ multivariate, groups: [searched] }, { bucketing_identifier: 'device_id' })
    expect(run(alone, context)).toMatchObject({ value: undefined, reason: 'unsupported_definition' })
  })

  it('reports the strongest of several reasons', () => {
    const missing = { key: 'x', value: '1' }
    const unsupported = { key: 'y', value: '1', operator: 'is_within' }
    const context = { complete: false }
    for (const properties of [
      [missing, unsupported],
      [unsupported, missing],
    ]) {
      expect(run(filtered(...properties), context)).toMatchObject({ reason: 'unsupported_definition' })
      const apart = flagOf({ groups: properties.map((filter) => ({ properties: [filter] })) })
      expect(run(apart, context)).toMatchObject({ reason: 'unsupported_definition' })
    }
    const listed = flagOf({ groups: [{ properties: [{ key: 'id', type: 'cohort', value: 9 }] }] }, { key: 'listed' })
    const onListed = { key: 'listed', type: 'flag', operator: 'flag_evaluates_to', value: true }
    const ended = flagOf({ groups: [{ properties: [unsupported] }, { properties: [onListed] }, {}] })
    expect(run(ended, context, { flags: [listed] })).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      requiresServer: true,
    })
    const continued = flagOf({ groups: [{ properties: [unsupported] }] }, { ensure_experience_continuity: true })
    expect(run(continued, context)).toMatchObject({ reason: 'experience_continuity' })
    const device = flagOf({ groups: [{ properties: [unsupported] }] }, { bucketing_identifier: 'device_id' })
    expect(run(device, context)).toMatchObject({ reason: 'unsupported_definition' })
  })

  it('is one on a property that cannot be read; nothing is thrown', () => {
    const loop: Record<string, unknown> = {}
    loop['loop'] = loop
    expect(run(filtered({ key: 'x', value: 'a' }), { personProperties: { x: loop as JsonObject } })).toMatchObject({
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
  ])('is one on a property that throws a value with %s', (_name, thrown) => {
    const personProperties = {
      get plan(): string {
        throw thrown
      },
    }
    expect(run(filtered({ key: 'plan', value: 'pro' }), { personProperties })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
      detail: 'the flag cannot be evaluated: a value that cannot be converted to a string was thrown',
    })
  })

  it('does not read inherited properties', () => {
    expect(run(filtered({ key: 'constructor', operator: 'is_set' })).value).toBe(false)
    expect(run(filtered({ key: '__proto__', operator: 'is_set' })).value).toBe(false)
  })
})

describe('bucketing', () => {
  const share = fc.double({ min: 0, max: 100, noNaN: true })

  it('gives the same person the same value each time', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), share, (distinctId, rollout_percentage) => {
        const definition = flagOf({ groups: [{ rollout_percentage }] })
        expect(run(definition, { distinctId })).toEqual(run(definition, { distinctId }))
      }),
    )
  })

  it('keeps everyone inside when a rollout grows', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), share, share, (distinctId, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one]
        const at = (rollout_percentage: number): unknown =>
          run(flagOf({ groups: [{ rollout_percentage }] }), { distinctId }).value
        if (at(less)) expect(at(more)).toBe(true)
      }),
    )
  })

  it('hits the percentages of rollouts and variants, also fractions', () => {
    const people = 20_000
    const count = (definition: FlagDefinition, value: unknown): number => {
      const flag = compile({ flags: [definition] }).flags.get('flag')!
      let hits = 0
      for (let n = 0; n < people; n++)
        if (evaluateFlag(flag, evaluationContext({ distinctId: `p${n}`, complete: true, now: 0 })).value === value)
          hits++
      return hits / people
    }
    expect(count(flagOf({ groups: [{ rollout_percentage: 0.5 }] }), true)).toBeCloseTo(0.005, 2)
    expect(count(flagOf({ groups: [{ rollout_percentage: 45 }] }), true)).toBeCloseTo(0.45, 1)
    const split = flagOf({
      groups: [{ rollout_percentage: 50 }],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 33.4 },
          { key: 'b', rollout_percentage: 66.6 },
        ],
      },
    })
    expect(count(split, 'a')).toBeCloseTo(0.167, 1)
    expect(count(split, 'b')).toBeCloseTo(0.333, 1)
    expect(count(split, true)).toBe(0)
  })
})
