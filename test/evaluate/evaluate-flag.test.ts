import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileFlag, type CompileOptions } from '../../src/evaluate/compile-flag.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { type Evaluation, type EvaluationContext, evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'

type Given = Partial<EvaluationContext>

const flagOf = (filters: object, more: object = {}): FlagDefinition => ({
  id: 1,
  key: 'flag',
  active: true,
  filters: { groups: [{}], ...filters },
  ...more,
})

const run = (definition: FlagDefinition, given: Given = {}, options: CompileOptions = {}): Evaluation =>
  evaluateFlag(
    compileFlag(definition, options),
    evaluationContext({ distinctId: 'u', complete: true, now: 0, ...given }),
  )

const filtered = (...properties: PropertyFilter[]): FlagDefinition => flagOf({ groups: [{ properties }] })

describe('the order of one flag', () => {
  it('finds no group under a name that every object inherits', () => {
    const definition = flagOf({ aggregation_group_type_index: 0 })
    expect(run(definition, { groups: {} }, { groupTypes: { 0: 'constructor' } })).toMatchObject({
      value: false,
      reason: 'no_group_type',
    })
  })

  it('is off when inactive, before anything else', () => {
    const definition = flagOf({ holdout: { id: 1 } }, { active: false, ensure_experience_continuity: true })
    expect(run(definition, { complete: false })).toMatchObject({ value: false, reason: 'flag_disabled' })
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
    ).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
      conditionIndex: 0,
    })
    expect(run(flagOf({ groups: [] }))).toMatchObject({ value: false, reason: 'no_condition_match' })
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

describe('whom a flag buckets', () => {
  const byGroup = flagOf({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'plan', type: 'group', value: 'pro' }] }],
  })
  const options = { groupTypes: { 0: 'company' } }

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

  it('is off in the service, and inconclusive elsewhere, without the group', () => {
    expect(run(byGroup, {}, options)).toMatchObject({ value: false, reason: 'no_group_type' })
    expect(run(byGroup, { complete: false }, options)).toMatchObject({ value: undefined, reason: 'missing_context' })
    expect(run(byGroup, { groups: { company: 'acme' } }, {})).toMatchObject({ value: false, reason: 'no_group_type' })
  })

  it('hashes by the device where told so, and needs no device where no hash is needed', () => {
    const device = { bucketing_identifier: 'device_id' }
    const half = flagOf({ groups: [{ rollout_percentage: 50 }] }, device)
    expect(run(half)).toMatchObject({ value: false, reason: 'out_of_rollout_bound' })
    expect(run(half, { complete: false })).toMatchObject({ value: undefined, reason: 'missing_context' })
    expect(run(flagOf({}, device), { complete: false }).value).toBe(true)
    const values = ['a', 'b'].map((distinctId) => run(half, { distinctId, deviceId: 'd' }).value)
    expect(values[0]).toBe(values[1])
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

  it.each([
    [flagOf({ groups: [{ properties: [{ key: 'x', value: '1', operator: 'is_within' }] }] }), '"is_within"'],
    [flagOf({ groups: [{ properties: [{ key: 'id', value: 1, type: 'cohort' }] }] }), '"cohort"'],
    [flagOf({ groups: [{ properties: [{ key: 'x', value: '(?=a)', operator: 'regex' }] }] }), 'lookaround'],
    [flagOf({ groups: [{ properties: [{ key: 'x', value: { a: 1 }, operator: 'gt' }] }] }), 'gt'],
    [flagOf({ holdout: { id: 1, exclusion_percentage: 10 } }), '"holdout"'],
    [flagOf({ groups: [{ aggregation_group_type_index: 1 }] }), 'group type'],
  ])('makes a flag that cannot be run inconclusive with a reason (%#)', (definition, words) => {
    expect(run(definition)).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail: expect.stringContaining(words),
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
      const flag = compileFlag(definition)
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
