import { describe, expect, it } from 'vitest'
import { explain } from '../../src/evaluate/explain.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinitions } from '../../src/wire/definition.ts'

const flagOf = (filters: object, otherFields: object = {}): object => ({
  id: 1,
  key: 'checkout',
  active: true,
  filters: { groups: [], ...filters },
  ...otherFields,
})

const explainCheckout = (
  flags: readonly object[],
  context: Partial<GivenContext> = {},
  otherDefinitions: Partial<FlagDefinitions> = {},
): readonly string[] =>
  explain(
    { flags, ...otherDefinitions } as FlagDefinitions,
    'checkout',
    evaluationContext({ distinctId: 'u1', complete: true, now: 0, ...context }),
  )

const multivariate = {
  variants: [
    { key: 'red', rollout_percentage: 50 },
    { key: 'blue', rollout_percentage: 50 },
  ],
}

describe('explain', () => {
  it('lists filters with their property values up to the deciding condition', () => {
    const groups = [
      {
        properties: [
          { key: 'plan', value: 'pro' },
          { key: 'country', operator: 'is_not', value: ['NL'] },
        ],
      },
      { properties: [{ key: 'age', operator: 'gt', value: 20 }], rollout_percentage: 80 },
      {},
    ]
    const payloads = { blue: '{"a":1}' }
    const personProperties = { plan: 'free', age: 30 }
    expect(explainCheckout([flagOf({ groups, multivariate, payloads })], { personProperties })).toEqual([
      'checkout: "blue", condition_match',
      'payload: {"a":1}',
      'hashed by the distinct id "u1"',
      'condition 0:',
      '  no  plan exact "pro": is "free"',
      '  yes country is_not ["NL"]: is missing',
      '  rollout: everyone',
      '  variant: at 71.9219 % (red below 50 %, blue below 100 %)',
      'condition 1, which decides:',
      '  yes age gt 20: is 30',
      '  rollout 80 %: in, at 42.1952 %',
      '  variant: at 71.9219 % (red below 50 %, blue below 100 %)',
      'later conditions were not evaluated',
    ])
  })

  it('describes a rollout that excludes the person, with and without early_exit', () => {
    const groups = [{ rollout_percentage: 10 }, { properties: [{ key: 'plan', value: 'pro' }] }]
    expect(explainCheckout([flagOf({ groups })])).toEqual([
      'checkout: false, out_of_rollout_bound',
      'hashed by the distinct id "u1"',
      'condition 0, which came closest:',
      '  rollout 10 %: out, at 42.1952 %',
      'condition 1:',
      '  no  plan exact "pro": is missing',
      '  rollout: everyone',
    ])
    expect(explainCheckout([flagOf({ groups, early_exit: true })])).toEqual([
      'checkout: false, out_of_rollout_bound',
      'hashed by the distinct id "u1"',
      'condition 0, which decides:',
      '  rollout 10 %: out, at 42.1952 %',
      'later conditions were not evaluated',
    ])
  })

  it('lists the parts of nested cohorts and the values of other flags', () => {
    const properties = [
      { key: 'id', type: 'cohort', value: 5 },
      { key: 'other', type: 'flag', operator: 'flag_evaluates_to', value: true },
      { key: 'gone', type: 'flag', operator: 'flag_evaluates_to', value: false },
    ]
    const cohorts = {
      5: {
        type: 'OR',
        values: [
          {
            type: 'AND',
            values: [
              { key: 'age', operator: 'gt', value: 40 },
              { key: 'banned', operator: 'is_set', negation: true },
            ],
          },
          { key: 'id', type: 'cohort', value: 6 },
          { key: 'id', type: 'cohort', operator: 'not_in', value: 7 },
        ],
      },
      6: { type: 'AND', values: [{ key: 'plan', value: 'free' }] },
    } as const
    const otherFlag = flagOf({ groups: [{}] }, { key: 'other' })
    const context = { personProperties: { plan: 'free', age: 30 }, complete: false }
    expect(explainCheckout([flagOf({ groups: [{ properties }] }), otherFlag], context, { cohorts }).slice(2)).toEqual([
      'hashed by the distinct id "u1"',
      'condition 0:',
      '  yes in cohort 5: any of',
      '      no  all of',
      '          no  age gt 40: is 30',
      '          ?   not: banned is_set: was not given',
      '      yes in cohort 6: all of',
      '          yes plan exact "free": is "free"',
      '      ?   not in cohort 7: is not in the definitions',
      '  yes flag "other" is true: is true, condition_match',
      '  ?   flag "gone" is false: is not in the definitions',
      '  rollout: everyone',
    ])
  })

  it('terminates for cohorts that refer to each other', () => {
    const cohorts = {
      5: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 6 }] },
      6: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 5 }] },
    } as const
    const groups = [{ properties: [{ key: 'id', type: 'cohort', value: 5 }] }]
    expect(explainCheckout([flagOf({ groups })], {}, { cohorts })[0]).toBe('checkout: unknown, unsupported_definition')
  })

  it('lists the parts of a cohort once, at the first reference', () => {
    const referTwice = (id: number): object[] => [
      { key: 'id', type: 'cohort', value: id },
      { key: 'id', type: 'cohort', value: id },
    ]
    const chain = Array.from({ length: 8 }, (_, id) => [id, { type: 'AND', values: referTwice(id + 1) }] as const)
    const cohorts = Object.fromEntries([...chain, [8, { type: 'AND', values: [{ key: 'plan', value: null }] }]])
    const groups = [{ properties: [{ key: 'id', type: 'cohort', value: 0 }] }]
    const lines = explainCheckout([flagOf({ groups })], { personProperties: { plan: null } }, {
      cohorts,
    } as Partial<FlagDefinitions>)
    expect(lines[0]).toBe('checkout: true, condition_match')
    expect(lines.filter((line) => line.includes('cohort 8'))).toHaveLength(2)
    expect(lines.filter((line) => line.includes('plan exact null: is null'))).toHaveLength(1)
  })

  it('names the group of a group flag and groups that were not given', () => {
    const mapping = { group_type_mapping: { 0: 'company', 1: 'team' } }
    const groups = [
      { properties: [{ key: 'size', operator: 'gt', value: 9, type: 'group' }] },
      { aggregation_group_type_index: 1 },
      { properties: [{ key: '$group_key', value: 'acme', type: 'group' }], aggregation_group_type_index: 0 },
    ]
    const context = { groups: { company: 'acme' }, groupProperties: { company: { size: 5 } } }
    expect(explainCheckout([flagOf({ groups, aggregation_group_type_index: 0 })], context, mapping)).toEqual([
      'checkout: true, condition_match',
      'hashed by the company "acme"',
      'condition 0:',
      '  no  size gt 9: is 5',
      '  rollout: everyone',
      'condition 1: not hashed, no team was given',
      'condition 2, which decides:',
      '  yes $group_key exact "acme": is "acme"',
      '  rollout: everyone',
    ])
    expect(explainCheckout([flagOf({ groups, aggregation_group_type_index: 0 })], {}, mapping)).toEqual([
      'checkout: false, no_group_type',
      'not hashed, no company was given',
    ])
    const groupsOfPersonFlag = [
      { aggregation_group_type_index: 0, properties: [{ key: 'size', value: '5', type: 'group' }] },
    ]
    expect(explainCheckout([flagOf({ groups: groupsOfPersonFlag })], context, mapping).slice(2)).toEqual([
      'condition 0, which decides:',
      '  hashed by the company "acme"',
      '  yes size exact "5": is 5',
      '  rollout: everyone',
    ])
  })

  it('describes the device, the holdout, the enrolment and a fixed variant', () => {
    const definition = flagOf(
      {
        groups: [{ variant: 'red', rollout_percentage: 1 }],
        multivariate,
        holdout: { id: 7, exclusion_percentage: 10 },
        feature_enrollment: true,
      },
      { bucketing_identifier: 'device_id' },
    )
    expect(explainCheckout([definition], { deviceId: 'd1' })).toEqual([
      'checkout: false, out_of_rollout_bound',
      'hashed by the device "d1"',
      'enrolment: no choice was made',
      'holdout-7 10 %: not held out, at 95.8488 %',
      'condition 0, which came closest:',
      '  rollout 1 %: out, at 9.5527 %',
      '  variant: "red", whatever the hash',
    ])
    const enrolledPerson = { personProperties: { '$feature_enrollment/checkout': true } }
    expect(explainCheckout([definition], enrolledPerson)).toEqual([
      'checkout: true, super_condition_value',
      'not hashed, no device was given',
      'enrolment: true was chosen',
      'holdout-7 10 %: not held out, at 51.1029 %',
    ])
    const flagWithFullHoldout = flagOf({ holdout: { id: 7, exclusion_percentage: 100 } })
    expect(explainCheckout([flagWithFullHoldout])[0]).toBe('checkout: "holdout-7", holdout_condition_value')
  })

  it('gives only the reason of a flag with a constant result', () => {
    expect(explainCheckout([flagOf({}, { active: false })])).toEqual(['checkout: false, flag_disabled'])
    expect(explainCheckout([flagOf({ groups: 5 })])).toEqual([
      'checkout: unknown, unsupported_definition',
      'because filters.groups must be an array',
    ])
    expect(explainCheckout([])).toEqual(['There is no flag "checkout".'])
  })

  it.each([
    [{ flags: [flagOf({ groups: [{ properties: [{ key: 'plan', value: 'pro' }] }] })] }, undefined],
    [
      {
        get flags() {
          throw new Error('two\nlines')
        },
      },
      {},
    ],
  ])('says in one line why it cannot read its arguments: %#', (definitions, context) => {
    const lines = explain(definitions as never, 'checkout', context as never)
    expect(lines).toEqual([expect.stringMatching(/^The flag cannot be explained: .+\.$/)])
  })
})
