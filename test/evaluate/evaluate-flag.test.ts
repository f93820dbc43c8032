import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { filtered, flagOf, idsBetween, run, someoneOnBound } from '../support/run-flag.ts'

describe('the order of one flag', () => {
  it('finds no group under a name that every object inherits', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 })
    expect(run(definition, { groups: {} }, { group_type_mapping: { 0: 'constructor' } })).toMatchObject({
      value: false,
      reason: 'no_group_type',
    })
  })

  it('is off when inactive, before anything else', () => {
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

  it('leaves continuity to the service, which hashes by the id before identify', () => {
    const half = flagOf({ groups: [{ rollout_percentage: 50 }] })
    const continued = { ...half, ensure_experience_continuity: true }
    expect(run(continued, { complete: false })).toMatchObject({ value: undefined, reason: 'experience_continuity' })
    for (let n = 0; n < 20; n++) {
      const given = { distinctId: `user-${n}`, anonDistinctId: `anon-${n}` }
      expect(run(continued, given).value).toBe(run(half, { distinctId: given.anonDistinctId }).value)
    }
  })

  it('takes the first matching group in written order and says which', () => {
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

  it('ignores an override that names no variant, and is simply on where the variants leave a gap', () => {
    const gap = { multivariate: { variants: [{ key: 'a', rollout_percentage: 0 }] }, payloads: { true: '1' } }
    expect(run(flagOf({ ...gap, groups: [{ variant: 'none' }] }))).toMatchObject({ value: true, payload: 1 })
  })

  it('says whether the rollout or the conditions kept somebody out', () => {
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

  it('tries the next group when a rollout excludes, unless early_exit says to stop', () => {
    const groups = [{ rollout_percentage: 0 }, {}]
    expect(run(flagOf({ groups }))).toMatchObject({ value: true, conditionIndex: 1 })
    expect(run(flagOf({ groups, early_exit: false }))).toMatchObject({ value: true, conditionIndex: 1 })
    expect(run(flagOf({ groups, early_exit: true }))).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
      conditionIndex: 0,
    })
  })

  it('does not stop at a group whose properties do not match, early_exit or not', () => {
    const groups = [{ rollout_percentage: 0, properties: [{ key: 'x', value: '1' }] }, {}]
    expect(run(flagOf({ groups, early_exit: true }))).toMatchObject({ value: true, conditionIndex: 1 })
  })

  it('stops early without a value when a group before was inconclusive', () => {
    const groups = [{ properties: [{ key: 'x', value: '1' }] }, { rollout_percentage: 0 }, {}]
    expect(run(flagOf({ groups, early_exit: true }), { complete: false })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
    })
    expect(run(flagOf({ groups }), { complete: false })).toMatchObject({ value: true, conditionIndex: 2 })
  })

  it('takes everybody whose hash is at most the percentage, fractions of a percent too', () => {
    for (const percentage of [0.1, 12.5, 33.333]) {
      const definition = flagOf({ groups: [{ rollout_percentage: percentage }] })
      const share = percentage / 100
      for (const distinctId of idsBetween('flag.', share * 0.5, share))
        expect(run(definition, { distinctId }).value).toBe(true)
      for (const distinctId of idsBetween('flag.', share, share * 1.5))
        expect(run(definition, { distinctId }).value).toBe(false)
    }
  })

  it('takes who is exactly on the bound of a rollout, as person or as group', () => {
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

  it('gives who is exactly on the bound of a variant the next one', () => {
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

  it('tells the last group whose rollout excludes', () => {
    const out = { rollout_percentage: 0 }
    const failing = { properties: [{ key: 'x', value: '1' }] }
    expect(run(flagOf({ groups: [out, failing, out, failing] }))).toMatchObject({
      reason: 'out_of_rollout_bound',
      conditionIndex: 2,
    })
  })

  it('takes everybody where the percentage is absent, null or at least 100', () => {
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
  it.each(['constructor', '__proto__', 'toString'])('is none for one called %s that was given none', (key) => {
    const definition = flagOf({ multivariate: { variants: [{ key, rollout_percentage: 100 }] }, payloads: {} })
    expect(run(definition)).toMatchObject({ value: key, payload: undefined, payloadText: undefined })
    const payloads = Object.fromEntries([[key, '1']])
    expect(run(flagOf({ ...definition.filters, payloads }))).toMatchObject({ value: key, payload: 1 })
  })
})

describe('whom a flag buckets', () => {
  const byGroup = flagOf({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'plan', type: 'group', value: 'pro' }] }],
  })
  const options = { group_type_mapping: { 0: 'company' } }

  it('hashes a group flag by the group key and reads the properties of the group', () => {
    const given = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    expect(run(byGroup, given, options)).toMatchObject({ value: true })
    expect(run(byGroup, { groups: { company: 'acme' }, personProperties: { plan: 'pro' } }, options).value).toBe(false)
    const half = flagOf({ aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] })
    const values = ['a', 'b'].map((distinctId) => run(half, { distinctId, groups: { company: 'acme' } }, options).value)
    expect(values[0]).toBe(values[1])
  })

  it('knows the group key as $group_key and the distinct id as distinct_id', () => {
    const keyed = flagOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: '$group_key', value: 'acme' }] }],
    })
    expect(run(keyed, { groups: { company: 'acme' }, complete: false }, options).value).toBe(true)
    expect(run(filtered({ key: 'distinct_id', value: 'u' }), { complete: false }).value).toBe(true)
  })

  it('lets properties called $group_key and distinct_id that were given win over those', () => {
    const keyed = flagOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: '$group_key', value: 'given' }] }],
    })
    const groups = { company: 'acme' }
    expect(run(keyed, { groups, groupProperties: { company: { $group_key: 'given' } } }, options).value).toBe(true)
    const person = filtered({ key: 'distinct_id', value: 'given' })
    expect(run(person, { personProperties: { distinct_id: 'given' } }).value).toBe(true)
  })

  it('hashes a flag with continuity by the id that is kept for the person, before the one before identify', () => {
    const half = flagOf({ groups: [{ rollout_percentage: 50 }] }, { ensure_experience_continuity: true })
    const [inside] = idsBetween('flag.', 0, 0.5, 1) as [string]
    const [outside] = idsBetween('flag.', 0.5, 1, 1) as [string]
    const first = (id: string): Partial<GivenContext> => ({ hashKey: id })
    expect(run(half, { distinctId: outside, anonDistinctId: outside, ...first(inside) }).value).toBe(true)
    expect(run(half, { distinctId: inside, anonDistinctId: inside, ...first(outside) }).value).toBe(false)
    expect(run(half, { distinctId: outside, anonDistinctId: inside, hashKey: undefined }).value).toBe(true)
  })

  it('is off without the group, and inconclusive elsewhere than in the service for a type that is not known', () => {
    expect(run(byGroup, {}, options)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { complete: false }, options)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { groups: { company: 'acme' } }, {})).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { groups: { company: 'acme' }, complete: false }, {})).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringContaining('group type 0'),
    })
  })

  it('lets a group flag ignore the device', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 }, { bucketing_identifier: 'device_id' })
    expect(run(definition, { groups: { company: 'acme' }, complete: false }, options).value).toBe(true)
  })

  const device = { bucketing_identifier: 'device_id' }
  const half = flagOf({ groups: [{ rollout_percentage: 50 }] }, device)

  it('hashes by the device where told so, on the flag or in its filters', () => {
    const [inside] = idsBetween('flag.', 0, 0.5, 1) as [string]
    const [outside] = idsBetween('flag.', 0.5, 1, 1) as [string]
    const inFilters = flagOf({ ...device, groups: [{ rollout_percentage: 50 }] })
    for (const [deviceId, distinctId, value] of [
      [inside, outside, true],
      [outside, inside, false],
    ] as const) {
      expect(run(half, { distinctId, deviceId }).value).toBe(value)
      expect(run(inFilters, { distinctId, deviceId }).value).toBe(value)
      const personProperties = { $device_id: deviceId }
      expect(run(half, { distinctId, complete: false, personProperties }).value).toBe(value)
    }
  })

  it.each([null, '', 'distinct_id'])('hashes by the distinct id where the bucketing identifier is %j', (identifier) => {
    const definition = flagOf({}, { bucketing_identifier: identifier })
    expect(run(definition, { complete: false }).value).toBe(true)
  })

  it('is inconclusive elsewhere than in the service without the device, even where no hash is needed', () => {
    const unknown = { value: undefined, reason: 'missing_context' }
    expect(run(half, { complete: false })).toMatchObject(unknown)
    expect(run(flagOf({}, device), { complete: false, deviceId: '' })).toMatchObject(unknown)
    const empty = { $device_id: '' }
    expect(run(flagOf({}, device), { complete: false, personProperties: empty })).toMatchObject(unknown)
  })

  it.each<[PropertyFilter, string]>([
    [{ key: 'x', operator: 'sounds_like', value: 'a' }, 'unsupported_definition'],
    [{ key: 'x', operator: 'between', value: [1, 2] }, 'unsupported_definition'],
    [{ key: 'x', operator: 'semver_eq', value: '01.2' }, 'unsupported_definition'],
    [{ key: 'id', type: 'cohort', value: 9 }, 'unsupported_definition'],
    // A pattern that is none matches nobody, here as there.
    [{ key: 'x', operator: 'regex', value: '(unclosed' }, 'missing_context'],
  ])('tells what cannot be run here before a device that was not given (%j)', (filter, reason) => {
    const byDevice = { ...filtered(filter), bucketing_identifier: 'device_id' }
    expect(run(byDevice, { complete: false })).toMatchObject({ value: undefined, reason })
  })

  it('is out of the rollout in the service without the device, unless the hash cannot matter', () => {
    const split = { multivariate: { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) } }
    const shares = (a: number, b: number): object => ({
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: a },
          { key: 'b', rollout_percentage: b },
        ],
      },
    })
    const out = { value: false, reason: 'out_of_rollout_bound', conditionIndex: 0 }
    expect(run(half)).toMatchObject(out)
    expect(run(half, { personProperties: { $device_id: 'd1' } })).toMatchObject(out)
    expect(run(flagOf(split, device))).toMatchObject(out)
    expect(run(flagOf({}, device)).value).toBe(true)
    expect(run(flagOf(shares(100, 0), device)).value).toBe('a')
    expect(run(flagOf(shares(0, 100), device)).value).toBe('b')
    expect(run(flagOf(shares(0, 99), device))).toMatchObject(out)
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

  it('looks at the properties of that group', () => {
    const given = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    expect(run(mixed, given, types)).toMatchObject({ value: true, conditionIndex: 0 })
    expect(run(mixed, { groups: { company: 'acme' }, personProperties: { plan: 'pro' } }, types).value).toBe(false)
  })

  it('hashes by that group', () => {
    const half = flagOf({ groups: [{ aggregation_group_type_index: 0, rollout_percentage: 50 }] })
    const plain = flagOf({ groups: [{ rollout_percentage: 50 }] })
    for (const company of ['a', 'b', 'c', 'd', 'e'])
      expect(run(half, { groups: { company } }, types).value).toBe(run(plain, { distinctId: company }).value)
  })

  it('is hashed by that group also when another group before it hashed the person', () => {
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

  it('is told as the first of those whose group is missing', () => {
    const groups = [
      { properties: [{ key: 'x', value: '1' }] },
      { aggregation_group_type_index: 0 },
      { aggregation_group_type_index: 1 },
    ]
    expect(run(flagOf({ groups }), {}, types)).toMatchObject({ reason: 'no_group_type', conditionIndex: 1 })
  })

  it('is passed over, not inconclusive, without that group', () => {
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

  it('is inconclusive elsewhere than in the service when the properties of that group are not given', () => {
    const given = { groups: { company: 'acme' }, complete: false, personProperties: { email: 'x' } }
    expect(run(mixed, given, types)).toMatchObject({ value: undefined, reason: 'missing_context' })
  })

  it('is for everybody in that group where it asks for no properties, given or not', () => {
    const everyone = flagOf({ groups: [{ aggregation_group_type_index: 1 }] })
    for (const complete of [true, false])
      expect(run(everyone, { complete, groups: { team: 'a' } }, { group_type_mapping: { 1: 'team' } })).toMatchObject({
        value: true,
        conditionIndex: 0,
      })
  })

  it('is for the group of the flag where it names that one, or null', () => {
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

  it.each([false, 'false', null, 'yes', 1])('may be a refusal (%j)', (value) => {
    expect(chosen(value)).toMatchObject({ value: false, reason: 'super_condition_value' })
  })

  it('leaves the flag to the rest of its definition when no choice was made, where that is known', () => {
    expect(run(definition)).toMatchObject({ value: 'holdout-1' })
    expect(run(definition, { complete: false })).toMatchObject({ value: undefined, reason: 'missing_context' })
  })

  it('does not count where the flag has none', () => {
    const properties = { '$feature_enrollment/flag': true }
    expect(run(flagOf({ groups: [] }), { personProperties: properties }).value).toBe(false)
    expect(run(flagOf({ groups: [], feature_enrollment: false }), { personProperties: properties }).value).toBe(false)
  })
})

describe('what is not known', () => {
  it('is a property that the service does not have, and an open question elsewhere', () => {
    const answers = (filter: PropertyFilter): unknown[] => [
      run(filtered(filter)).value,
      run(filtered(filter), { complete: false }).value,
    ]
    for (const operator of ['exact', 'icontains', 'starts_with', 'ends_with', 'gt', 'lte', 'is_set', 'regex'])
      expect([operator, ...answers({ key: 'x', value: '1', operator })]).toEqual([operator, false, undefined])
    for (const operator of ['is_not', 'not_icontains', 'not_starts_with', 'not_ends_with', 'is_not_set', 'not_regex'])
      expect([operator, ...answers({ key: 'x', value: '1', operator })]).toEqual([operator, true, undefined])
  })

  it('does not matter beside a filter that fails, nor before a group that matches', () => {
    const unknown = { key: 'x', value: '1' }
    const failing = { key: 'plan', value: 'pro' }
    const given = { complete: false, personProperties: { plan: 'free' } }
    expect(run(filtered(unknown, failing), given)).toMatchObject({ value: false, reason: 'no_condition_match' })
    expect(run(flagOf({ groups: [{ properties: [unknown] }, {}] }), given)).toMatchObject({
      value: true,
      conditionIndex: 1,
    })
  })

  it.each<[PropertyFilter, string]>([
    [{ key: 'x', value: '1', operator: 'is_within' }, '"is_within"'],
    [{ key: 'x', value: '1', type: 'behavioral' }, '"behavioral"'],
    [{ key: 'x', value: '(?=a)', operator: 'regex' }, 'lookaround'],
    [{ key: 'x', value: { a: 1 }, operator: 'gt' }, 'gt'],
  ])('is a filter that cannot be run here; the next group is tried (%#)', (filter, words) => {
    const given = { personProperties: { x: 'a' } }
    expect(run(filtered(filter), given)).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringMatching(/^filters\.groups\[0\]\.properties\[0\]: /),
    })
    expect(run(filtered(filter), given)).toMatchObject({ detail: expect.stringContaining(words) })
    expect(run(flagOf({ groups: [{ properties: [filter] }, {}] }), given)).toMatchObject({ conditionIndex: 1 })
  })

  it('blocks a later group of another value when it is a pattern that cannot be searched here', () => {
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const properties = [{ key: 'x', value: '(?=a)', operator: 'regex' }]
    const valueOf = (first: object, second: object, more: object = {}, given: object = { x: 'a' }): unknown =>
      run(flagOf({ ...more, groups: [{ properties, ...first }, second] }), {
        complete: false,
        personProperties: given as JsonObject,
      }).value
    expect(valueOf({ variant: 'a' }, { variant: 'b' }, { multivariate })).toBeUndefined()
    expect(valueOf({ variant: 'a' }, { variant: 'a' }, { multivariate })).toBe('a')
    expect(valueOf({}, {})).toBe(true)
    // The first would end the evaluation with false, if it matched.
    expect(valueOf({ rollout_percentage: 0 }, {}, { early_exit: true })).toBeUndefined()
    expect(valueOf({ rollout_percentage: 0 }, {})).toBe(true)
    // Two that may give different values: whatever comes later differs from one of them.
    const [a, b] = ['a', 'b'].map((variant) => ({ properties, variant }))
    const after = (variant: string): unknown =>
      run(flagOf({ multivariate, groups: [a, b, { variant }] }), { complete: false, personProperties: { x: 'a' } })
        .value
    expect([after('a'), after('b')]).toEqual([undefined, undefined])
    // Without the property it is missing, as for any other filter.
    expect(valueOf({ variant: 'a' }, { variant: 'b' }, { multivariate }, {})).toBe('b')
  })

  it("stands in no later group's way where the rollout keeps somebody out, with an id to hash or without", () => {
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const searched = { properties: [{ key: 'x', operator: 'regex', value: '(?=a)' }] }
    const out = flagOf({ multivariate, groups: [{ ...searched, rollout_percentage: 0 }, { variant: 'b' }] })
    const given = { personProperties: { x: 'a' } }
    for (const complete of [true, false])
      expect(run(out, { ...given, complete })).toMatchObject({ value: 'b', conditionIndex: 1 })
    const unhashed = flagOf(
      { multivariate, groups: [searched, { variant: 'b' }] },
      { bucketing_identifier: 'device_id' },
    )
    expect(run(unhashed, given)).toMatchObject({ value: 'b', conditionIndex: 1 })
    const alone = flagOf({ multivariate, groups: [searched] }, { bucketing_identifier: 'device_id' })
    expect(run(alone, given)).toMatchObject({ value: undefined, reason: 'unsupported_definition' })
  })

  it('has the strongest of its reasons', () => {
    const missing = { key: 'x', value: '1' }
    const unsupported = { key: 'y', value: '1', operator: 'is_within' }
    const given = { complete: false }
    for (const properties of [
      [missing, unsupported],
      [unsupported, missing],
    ]) {
      expect(run(filtered(...properties), given)).toMatchObject({ reason: 'unsupported_definition' })
      const apart = flagOf({ groups: properties.map((filter) => ({ properties: [filter] })) })
      expect(run(apart, given)).toMatchObject({ reason: 'unsupported_definition' })
    }
    const listed = flagOf({ groups: [{ properties: [{ key: 'id', type: 'cohort', value: 9 }] }] }, { key: 'listed' })
    const onListed = { key: 'listed', type: 'flag', operator: 'flag_evaluates_to', value: true }
    const ended = flagOf({ groups: [{ properties: [unsupported] }, { properties: [onListed] }, {}] })
    expect(run(ended, given, { flags: [listed] })).toMatchObject({
      value: undefined,
      reason: 'unsupported_definition',
      requiresServer: true,
    })
    const continued = flagOf({ groups: [{ properties: [unsupported] }] }, { ensure_experience_continuity: true })
    expect(run(continued, given)).toMatchObject({ reason: 'experience_continuity' })
    const device = flagOf({ groups: [{ properties: [unsupported] }] }, { bucketing_identifier: 'device_id' })
    expect(run(device, given)).toMatchObject({ reason: 'unsupported_definition' })
  })

  it('is what cannot be read: the flag is inconclusive, nothing is thrown', () => {
    const loop: Record<string, unknown> = {}
    loop['loop'] = loop
    expect(run(filtered({ key: 'x', value: 'a' }), { personProperties: { x: loop as JsonObject } })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
    })
  })

  it.each([
    ['no text', Object.create(null) as unknown],
    [
      'a text that cannot be read',
      {
        toString: () => {
          throw new Error('no')
        },
      },
    ],
  ])('is also what is thrown by a property, though it have %s', (_name, thrown) => {
    const personProperties = {
      get plan(): string {
        throw thrown
      },
    }
    expect(run(filtered({ key: 'plan', value: 'pro' }), { personProperties })).toMatchObject({
      value: undefined,
      reason: 'missing_context',
      detail: 'the flag cannot be evaluated: something that has no text was thrown',
    })
  })

  it('does not mistake what every object has for a property', () => {
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

  it('keeps everybody in who was in, when a rollout grows', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), share, share, (distinctId, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one]
        const at = (rollout_percentage: number): unknown =>
          run(flagOf({ groups: [{ rollout_percentage }] }), { distinctId }).value
        if (at(less)) expect(at(more)).toBe(true)
      }),
    )
  })

  it('hits the percentages, fractions too, and splits variants by theirs', () => {
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
