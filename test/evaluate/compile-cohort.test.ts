import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { CohortDefinition, FlagDefinitions, PropertyFilter } from '../../src/wire/definition.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { filtered, flagOf, run } from '../support/run-flag.ts'

type Cohorts = Readonly<Record<string, unknown>>

const LOCALLY = { complete: false } as const
const IN: PropertyFilter = { key: 'id', type: 'cohort', value: 1 }
const pro: PropertyFilter = { key: 'plan', value: 'pro' }
const uk: PropertyFilter = { key: 'nation', value: 'UK' }

const beside = (cohorts: Cohorts): Partial<FlagDefinitions> => ({
  cohorts: cohorts as Readonly<Record<string, CohortDefinition>>,
})

const member = (cohorts: Cohorts, personProperties: JsonObject, more: Partial<GivenContext> = LOCALLY): Evaluation =>
  run(filtered(IN), { personProperties, ...more }, beside(cohorts))

describe('a cohort', () => {
  it('takes those whom all (AND, property) or any (OR) of its conditions take', () => {
    for (const type of ['AND', 'property']) {
      expect(member({ 1: { type, values: [pro, uk] } }, { plan: 'pro', nation: 'UK' }).value).toBe(true)
      expect(member({ 1: { type, values: [pro, uk] } }, { plan: 'pro', nation: 'FR' }).value).toBe(false)
    }
    expect(member({ 1: { type: 'OR', values: [pro, uk] } }, { plan: 'free', nation: 'UK' }).value).toBe(true)
    expect(member({ 1: { type: 'OR', values: [pro, uk] } }, { plan: 'free', nation: 'FR' }).value).toBe(false)
  })

  it('may be nested, and name other cohorts', () => {
    const cohorts = {
      1: {
        type: 'AND',
        values: [
          { type: 'OR', values: [pro, uk] },
          { key: 'id', type: 'cohort', value: 2 },
        ],
      },
      2: { type: 'property', values: [{ key: 'age', operator: 'gt', value: 17 }] },
    }
    expect(member(cohorts, { plan: 'free', nation: 'UK', age: 30 }).value).toBe(true)
    expect(member(cohorts, { plan: 'free', nation: 'UK', age: 10 }).value).toBe(false)
    expect(member(cohorts, { plan: 'free', nation: 'FR', age: 30 }).value).toBe(false)
  })

  it('takes everybody when it is empty; of no conditions AND takes everybody and OR nobody', () => {
    expect(member({ 1: {} }, {}).value).toBe(true)
    expect(member({ 1: { type: 'AND', values: [{}, pro] } }, { plan: 'pro' }).value).toBe(true)
    expect(member({ 1: { type: 'AND', values: [] } }, {}).value).toBe(true)
    expect(member({ 1: { type: 'property', values: [] } }, {}).value).toBe(true)
    expect(member({ 1: { type: 'OR', values: [] } }, {}).value).toBe(false)
    expect(member({ 1: { type: 'AND' } }, {}).value).toBe(true)
  })

  it('turns round the conditions that are negated, once they are known', () => {
    const negated = { 1: { type: 'AND', values: [{ ...pro, negation: true }] } }
    expect(member(negated, { plan: 'free' }).value).toBe(true)
    expect(member(negated, { plan: 'pro' }).value).toBe(false)
    expect(member(negated, {})).toMatchObject({ value: undefined, reason: 'missing_context' })
    expect(member(negated, {}, { complete: true }).value).toBe(true)
    const outside = {
      1: { type: 'AND', values: [{ ...IN, value: 2, negation: true }] },
      2: { type: 'OR', values: [pro] },
    }
    expect(member(outside, { plan: 'pro' }).value).toBe(false)
    expect(member(outside, { plan: 'free' }).value).toBe(true)
  })

  it.each([
    [undefined, true],
    [null, true],
    ['in', true],
    ['exact', true],
    ['not_in', false],
  ])('is asked for membership by the operator %j', (operator, value) => {
    const definition = filtered({ ...IN, operator })
    const cohorts = beside({ 1: { type: 'AND', values: [pro] } })
    expect(run(definition, { personProperties: { plan: 'pro' } }, cohorts).value).toBe(value)
    expect(run(definition, { personProperties: { plan: 'free' } }, cohorts).value).toBe(!value)
  })

  it('is decided by one known condition, whatever is unknown about the others', () => {
    expect(member({ 1: { type: 'AND', values: [uk, pro] } }, { plan: 'free' }).value).toBe(false)
    expect(member({ 1: { type: 'OR', values: [uk, pro] } }, { plan: 'pro' }).value).toBe(true)
    expect(member({ 1: { type: 'AND', values: [uk, pro] } }, { plan: 'pro' }).value).toBeUndefined()
    expect(member({ 1: { type: 'OR', values: [uk, pro] } }, { plan: 'free' }).value).toBeUndefined()
    expect(
      run(filtered({ ...IN, operator: 'not_in' }), LOCALLY, beside({ 1: { type: 'AND', values: [pro] } })),
    ).toMatchObject({
      value: undefined,
      reason: 'missing_context',
      detail: expect.stringContaining('cohorts.1.values[0]'),
    })
  })

  it('may ask for another flag', () => {
    const cohorts = { 1: { type: 'AND', values: [pro, { key: 'other', type: 'flag', value: true }] } }
    const other = flagOf({ groups: [{ properties: [uk] }] }, { key: 'other' })
    const valueFor = (nation: string): unknown =>
      run(filtered(IN), { personProperties: { plan: 'pro', nation } }, { ...beside(cohorts), flags: [other] }).value
    expect(valueFor('UK')).toBe(true)
    expect(valueFor('FR')).toBe(false)
  })

  it('looks at the properties of the group where a condition group is for one', () => {
    const cohorts = beside({ 1: { type: 'AND', values: [pro] } })
    const definition = flagOf({
      groups: [{ properties: [IN] }, { aggregation_group_type_index: 0, properties: [IN] }],
    })
    const given = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    const set = { ...cohorts, group_type_mapping: { 0: 'company' } }
    expect(run(definition, { ...given, personProperties: { plan: 'free' } }, set)).toMatchObject({ conditionIndex: 1 })
    expect(run(definition, { personProperties: { plan: 'pro' } }, set)).toMatchObject({ conditionIndex: 0 })
  })

  it('tells apart what it looks at of persons and of a type of group', () => {
    const cohorts = beside({ 1: { type: 'AND', values: [{ key: 'distinct_id', value: 'acme' }] } })
    const groups = [{ properties: [IN] }, { aggregation_group_type_index: 0, properties: [IN] }]
    const set = { ...cohorts, group_type_mapping: { 0: 'company' } }
    const given = { distinctId: 'acme', groups: { company: 'acme' } }
    for (const order of [groups, groups.toReversed()]) {
      const evaluation = run(flagOf({ groups: order }), given, set)
      expect(evaluation).toMatchObject({ value: true, conditionIndex: order.indexOf(groups[0]!) })
    }
    const { personKeys, groupKeys } = compile({ flags: [flagOf({ groups })], ...set })
    expect([personKeys, groupKeys]).toEqual([
      new Set(['distinct_id']),
      new Map([['company', new Set(['distinct_id'])]]),
    ])
  })

  it('works for filters of both types in one definition, with the id as a text', () => {
    expect(run(filtered({ ...IN, value: '1' }), {}, beside({ 1: {} })).value).toBe(true)
  })
})

describe('a cohort that only the service knows', () => {
  const blocked = flagOf({ groups: [{ properties: [IN] }, {}] })

  it('ends the evaluation, although a later group would match', () => {
    for (const complete of [true, false])
      expect(run(blocked, { complete })).toMatchObject({
        value: undefined,
        reason: 'unsupported_definition',
        requiresServer: true,
        detail: 'filters.groups[0].properties[0]: the cohort 1 is not among the definitions',
      })
  })

  it('does not matter after a group that matches, or beside a filter that fails', () => {
    expect(run(flagOf({ groups: [{}, { properties: [IN] }] }), LOCALLY).value).toBe(true)
    const failing = flagOf({ groups: [{ properties: [IN, pro] }, {}] })
    expect(run(failing, { ...LOCALLY, personProperties: { plan: 'free' } })).toMatchObject({ conditionIndex: 1 })
    expect(run(failing, LOCALLY).value).toBeUndefined()
  })

  it('may be named by another cohort, or be of a type that is not known', () => {
    const nested = { 1: { type: 'OR', values: [pro, { key: 'id', type: 'cohort', value: 9 }] } }
    expect(run(blocked, LOCALLY, beside(nested))).toMatchObject({ value: undefined, requiresServer: true })
    expect(run(blocked, LOCALLY, beside({ 1: { type: 'XOR', values: [] } }))).toMatchObject({ requiresServer: true })
    expect(run(blocked, LOCALLY, beside({ 1: { type: 'OR', values: [{ values: [] }] } }))).toMatchObject({
      requiresServer: true,
    })
  })

  it('is not found under a name that every object inherits', () => {
    expect(run(filtered({ ...IN, value: 'constructor' }))).toMatchObject({ requiresServer: true })
  })
})

describe('a cohort that cannot be read', () => {
  it.each([
    [{ 1: null }, 'cohorts.1 must be an object'],
    [{ 1: { type: 'AND', values: {} } }, 'cohorts.1.values must be an array'],
    [{ 1: { type: 'AND', values: [5] } }, 'cohorts.1.values[0] must be an object'],
    [{ 1: { type: 'AND', values: [{ value: 1 }] } }, 'cohorts.1.values[0].key must be a text that is not empty'],
    [{ 1: { type: 'AND', values: [IN] } }, 'cohorts.1 refers to itself'],
    [
      { 1: { type: 'AND', values: [{ ...IN, value: 2 }] }, 2: { type: 'OR', values: [IN] } },
      'cohorts.1 refers to itself',
    ],
  ])('makes the flag inconclusive, naming the place (%#)', (cohorts, detail) => {
    const definition = flagOf({ groups: [{ properties: [IN] }, {}] })
    expect(run(definition, {}, beside(cohorts))).toEqual({ value: undefined, reason: 'unsupported_definition', detail })
    // Twice, since cohorts are compiled once for all flags.
    const flags = [definition, { ...definition, key: 'second' }, flagOf({}, { key: 'good' })]
    const set = compile({ flags, ...beside(cohorts) })
    expect([...set.flags.values()].map(({ problems }) => problems)).toEqual([[detail], [detail], []])
  })

  it('says so for an operator that is not one for cohorts, and tries the next group', () => {
    const definition = flagOf({ groups: [{ properties: [{ ...IN, operator: 'gt' }] }, {}] })
    expect(run(definition, {}, beside({ 1: {} }))).toMatchObject({ conditionIndex: 1 })
    expect(run(filtered({ ...IN, operator: 'gt' }), {}, beside({ 1: {} }))).toMatchObject({
      reason: 'unsupported_definition',
      detail: expect.stringContaining('"gt"'),
    })
  })

  it('is one that grows beyond all bounds by naming others twice, or is nested too deep', () => {
    const twice: Record<string, unknown> = { 0: { type: 'OR', values: [pro] } }
    for (let n = 1; n < 40; n++)
      twice[n] = {
        type: 'AND',
        values: [0, 1].map(() => ({ key: 'id', type: 'cohort', value: n - 1, negation: true })),
      }
    expect(run(filtered({ ...IN, value: 39 }), {}, beside(twice))).toMatchObject({
      value: undefined,
      detail: expect.stringContaining('more than 10000 conditions'),
    })
    let deep: unknown = pro
    for (let n = 0; n < 200; n++) deep = { type: 'AND', values: [deep] }
    expect(run(filtered(IN), {}, beside({ 1: deep }))).toMatchObject({ detail: expect.stringContaining('100 deep') })
    for (let n = 0; n < 20_000; n++) deep = { type: 'AND', values: [deep] }
    expect(run(filtered(IN), {}, beside({ 1: deep }))).toMatchObject({ detail: expect.stringContaining('100 deep') })
  })

  it.each<[string, (value: PropertyFilter) => unknown]>([
    ['groups', (value) => ({ type: 'AND', values: [value] })],
    ['cohorts', (value) => value],
  ])('is a chain of too many %s, but no part of it that is short enough, whichever is met first', (_name, link) => {
    const length = 20_000
    const cohorts: Record<string, unknown> = { [length]: { type: 'AND', values: [pro] } }
    for (let n = 1; n < length; n++) cohorts[n] = link({ ...IN, value: n + 1 })
    const long = { ...filtered(IN), key: 'long' }
    const short = { ...filtered({ ...IN, value: length - 40 }), key: 'short' }
    for (const flags of [
      [long, short],
      [short, long],
    ]) {
      const set = compile({ ...beside(cohorts), flags })
      const valueOf = (key: string): Evaluation =>
        evaluateFlag(
          set.flags.get(key)!,
          evaluationContext({ distinctId: 'u', personProperties: { plan: 'pro' }, complete: true, now: 0 }),
        )
      expect(valueOf('long')).toMatchObject({
        detail: expect.stringMatching(/^cohorts\..* is nested more than 100 deep$/),
      })
      expect(valueOf('short')).toMatchObject({ value: true })
    }
  })
})
