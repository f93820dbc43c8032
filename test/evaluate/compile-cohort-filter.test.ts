import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { CohortDefinition, FlagDefinitions, PropertyFilter } from '../../src/wire/definition.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { filtered, flagOf, run } from '../support/run-flag.ts'

type Cohorts = Readonly<Record<string, unknown>>

/** A local evaluator, which does not know all properties. */
const LOCAL = { complete: false } as const
/** The filter "is in cohort 1". */
const IN_COHORT: PropertyFilter = { key: 'id', type: 'cohort', value: 1 }
const pro: PropertyFilter = { key: 'plan', value: 'pro' }
const uk: PropertyFilter = { key: 'nation', value: 'UK' }

const withCohorts = (cohorts: Cohorts): Partial<FlagDefinitions> => ({
  cohorts: cohorts as Readonly<Record<string, CohortDefinition>>,
})

const evaluateMember = (
  cohorts: Cohorts,
  personProperties: JsonObject,
  context: Partial<GivenContext> = LOCAL,
): Evaluation => run(filtered(IN_COHORT), { personProperties, ...context }, withCohorts(cohorts))

describe('a cohort filter', () => {
  it('matches if all conditions (AND, property) or any condition (OR) matches', () => {
    for (const type of ['AND', 'property']) {
      expect(evaluateMember({ 1: { type, values: [pro, uk] } }, { plan: 'pro', nation: 'UK' }).value).toBe(true)
      expect(evaluateMember({ 1: { type, values: [pro, uk] } }, { plan: 'pro', nation: 'FR' }).value).toBe(false)
    }
    expect(evaluateMember({ 1: { type: 'OR', values: [pro, uk] } }, { plan: 'free', nation: 'UK' }).value).toBe(true)
    expect(evaluateMember({ 1: { type: 'OR', values: [pro, uk] } }, { plan: 'free', nation: 'FR' }).value).toBe(false)
  })

  it('allows nested groups and references to other cohorts', () => {
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
    expect(evaluateMember(cohorts, { plan: 'free', nation: 'UK', age: 30 }).value).toBe(true)
    expect(evaluateMember(cohorts, { plan: 'free', nation: 'UK', age: 10 }).value).toBe(false)
    expect(evaluateMember(cohorts, { plan: 'free', nation: 'FR', age: 30 }).value).toBe(false)
  })

  it('matches everyone if it is empty or an empty AND, and no one if it is an empty OR', () => {
    expect(evaluateMember({ 1: {} }, {}).value).toBe(true)
    expect(evaluateMember({ 1: { type: 'AND', values: [{}, pro] } }, { plan: 'pro' }).value).toBe(true)
    expect(evaluateMember({ 1: { type: 'AND', values: [] } }, {}).value).toBe(true)
    expect(evaluateMember({ 1: { type: 'property', values: [] } }, {}).value).toBe(true)
    expect(evaluateMember({ 1: { type: 'OR', values: [] } }, {}).value).toBe(false)
    expect(evaluateMember({ 1: { type: 'AND' } }, {}).value).toBe(true)
  })

  it('inverts the result of a negated condition; an unknown result stays unknown', () => {
    const cohortsWithNegation = { 1: { type: 'AND', values: [{ ...pro, negation: true }] } }
    expect(evaluateMember(cohortsWithNegation, { plan: 'free' }).value).toBe(true)
    expect(evaluateMember(cohortsWithNegation, { plan: 'pro' }).value).toBe(false)
    expect(evaluateMember(cohortsWithNegation, {})).toMatchObject({ value: undefined, reason: 'missing_context' })
    expect(evaluateMember(cohortsWithNegation, {}, { complete: true }).value).toBe(true)
    const cohortsWithNegatedCohort = {
      1: { type: 'AND', values: [{ ...IN_COHORT, value: 2, negation: true }] },
      2: { type: 'OR', values: [pro] },
    }
    expect(evaluateMember(cohortsWithNegatedCohort, { plan: 'pro' }).value).toBe(false)
    expect(evaluateMember(cohortsWithNegatedCohort, { plan: 'free' }).value).toBe(true)
  })

  it.each([
    [undefined, true],
    [null, true],
    ['in', true],
    ['exact', true],
    ['not_in', false],
  ])('tests membership with the operator %j', (operator, value) => {
    const definition = filtered({ ...IN_COHORT, operator })
    const cohorts = withCohorts({ 1: { type: 'AND', values: [pro] } })
    expect(run(definition, { personProperties: { plan: 'pro' } }, cohorts).value).toBe(value)
    expect(run(definition, { personProperties: { plan: 'free' } }, cohorts).value).toBe(!value)
  })

  it('has a result if one condition decides, although others are unknown', () => {
    expect(evaluateMember({ 1: { type: 'AND', values: [uk, pro] } }, { plan: 'free' }).value).toBe(false)
    expect(evaluateMember({ 1: { type: 'OR', values: [uk, pro] } }, { plan: 'pro' }).value).toBe(true)
    expect(evaluateMember({ 1: { type: 'AND', values: [uk, pro] } }, { plan: 'pro' }).value).toBeUndefined()
    expect(evaluateMember({ 1: { type: 'OR', values: [uk, pro] } }, { plan: 'free' }).value).toBeUndefined()
    expect(
      run(filtered({ ...IN_COHORT, operator: 'not_in' }), LOCAL, withCohorts({ 1: { type: 'AND', values: [pro] } })),
    ).toMatchObject({
      value: undefined,
      reason: 'missing_context',
      detail: expect.stringContaining('cohorts.1.values[0]'),
    })
  })

  it('can depend on another flag', () => {
    const cohorts = { 1: { type: 'AND', values: [pro, { key: 'other', type: 'flag', value: true }] } }
    const otherFlag = flagOf({ groups: [{ properties: [uk] }] }, { key: 'other' })
    const evaluateFor = (nation: string): unknown =>
      run(
        filtered(IN_COHORT),
        { personProperties: { plan: 'pro', nation } },
        { ...withCohorts(cohorts), flags: [otherFlag] },
      ).value
    expect(evaluateFor('UK')).toBe(true)
    expect(evaluateFor('FR')).toBe(false)
  })

  it('reads group properties in a condition group for a group type', () => {
    const cohorts = withCohorts({ 1: { type: 'AND', values: [pro] } })
    const definition = flagOf({
      groups: [{ properties: [IN_COHORT] }, { aggregation_group_type_index: 0, properties: [IN_COHORT] }],
    })
    const context = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'pro' } } }
    const set = { ...cohorts, group_type_mapping: { 0: 'company' } }
    expect(run(definition, { ...context, personProperties: { plan: 'free' } }, set)).toMatchObject({
      conditionIndex: 1,
    })
    expect(run(definition, { personProperties: { plan: 'pro' } }, set)).toMatchObject({ conditionIndex: 0 })
  })

  it('is compiled separately for persons and for each group type', () => {
    const cohorts = withCohorts({ 1: { type: 'AND', values: [{ key: 'distinct_id', value: 'acme' }] } })
    const groups = [{ properties: [IN_COHORT] }, { aggregation_group_type_index: 0, properties: [IN_COHORT] }]
    const set = { ...cohorts, group_type_mapping: { 0: 'company' } }
    const context = { distinctId: 'acme', groups: { company: 'acme' } }
    for (const order of [groups, groups.toReversed()]) {
      const evaluation = run(flagOf({ groups: order }), context, set)
      expect(evaluation).toMatchObject({ value: true, conditionIndex: order.indexOf(groups[0]!) })
    }
    const { personKeys, groupKeys } = compile({ flags: [flagOf({ groups })], ...set })
    expect([personKeys, groupKeys]).toEqual([
      new Set(['distinct_id']),
      new Map([['company', new Set(['distinct_id'])]]),
    ])
  })

  it('accepts a cohort id that is a string', () => {
    expect(run(filtered({ ...IN_COHORT, value: '1' }), {}, withCohorts({ 1: {} })).value).toBe(true)
  })
})

describe('a cohort that is not in the definitions', () => {
  const flagWithCohort = flagOf({ groups: [{ properties: [IN_COHORT] }, {}] })

  it('ends the evaluation although a later condition group matches', () => {
    for (const complete of [true, false])
      expect(run(flagWithCohort, { complete })).toMatchObject({
        value: undefined,
        reason: 'unsupported_definition',
        requiresServer: true,
        detail: 'filters.groups[0].properties[0]: the cohort 1 is not in the definitions',
      })
  })

  it('has no effect after a matching group or next to a filter that does not match', () => {
    expect(run(flagOf({ groups: [{}, { properties: [IN_COHORT] }] }), LOCAL).value).toBe(true)
    const flagWithTwoFilters = flagOf({ groups: [{ properties: [IN_COHORT, pro] }, {}] })
    expect(run(flagWithTwoFilters, { ...LOCAL, personProperties: { plan: 'free' } })).toMatchObject({
      conditionIndex: 1,
    })
    expect(run(flagWithTwoFilters, LOCAL).value).toBeUndefined()
  })

  it('requires the service also inside a cohort, like a group of an unknown type', () => {
    const nested = { 1: { type: 'OR', values: [pro, { key: 'id', type: 'cohort', value: 9 }] } }
    expect(run(flagWithCohort, LOCAL, withCohorts(nested))).toMatchObject({ value: undefined, requiresServer: true })
    expect(run(flagWithCohort, LOCAL, withCohorts({ 1: { type: 'XOR', values: [] } }))).toMatchObject({
      requiresServer: true,
    })
    expect(run(flagWithCohort, LOCAL, withCohorts({ 1: { type: 'OR', values: [{ values: [] }] } }))).toMatchObject({
      requiresServer: true,
    })
  })

  it('is not found under an inherited property name', () => {
    expect(run(filtered({ ...IN_COHORT, value: 'constructor' }))).toMatchObject({ requiresServer: true })
  })
})

describe('a malformed cohort', () => {
  it.each([
    [{ 1: null }, 'cohorts.1 must be an object'],
    [{ 1: { type: 'AND', values: {} } }, 'cohorts.1.values must be an array'],
    [{ 1: { type: 'AND', values: [5] } }, 'cohorts.1.values[0] must be an object'],
    [{ 1: { type: 'AND', values: [{ value: 1 }] } }, 'cohorts.1.values[0].key must be a non-empty string'],
    [{ 1: { type: 'AND', values: [IN_COHORT] } }, 'cohorts.1 refers to itself'],
    [
      { 1: { type: 'AND', values: [{ ...IN_COHORT, value: 2 }] }, 2: { type: 'OR', values: [IN_COHORT] } },
      'cohorts.1 refers to itself',
    ],
  ])('makes the flag inconclusive, with a detail that names the path (case %#)', (cohorts, detail) => {
    const definition = flagOf({ groups: [{ properties: [IN_COHORT] }, {}] })
    expect(run(definition, {}, withCohorts(cohorts))).toEqual({
      value: undefined,
      reason: 'unsupported_definition',
      detail,
    })
    // Two flags, because cohorts are compiled once for all flags.
    const flags = [definition, { ...definition, key: 'second' }, flagOf({}, { key: 'good' })]
    const set = compile({ flags, ...withCohorts(cohorts) })
    expect([...set.flags.values()].map(({ problems }) => problems)).toEqual([[detail], [detail], []])
  })

  it('is reported for an unsupported operator, and the next group is evaluated', () => {
    const definition = flagOf({ groups: [{ properties: [{ ...IN_COHORT, operator: 'gt' }] }, {}] })
    expect(run(definition, {}, withCohorts({ 1: {} }))).toMatchObject({ conditionIndex: 1 })
    expect(run(filtered({ ...IN_COHORT, operator: 'gt' }), {}, withCohorts({ 1: {} }))).toMatchObject({
      reason: 'unsupported_definition',
      detail: expect.stringContaining('"gt"'),
    })
  })

  it('is a cohort with more than 10,000 conditions or 100 levels', () => {
    const doublingCohorts: Record<string, unknown> = { 0: { type: 'OR', values: [pro] } }
    for (let n = 1; n < 40; n++)
      doublingCohorts[n] = {
        type: 'AND',
        values: [0, 1].map(() => ({ key: 'id', type: 'cohort', value: n - 1, negation: true })),
      }
    expect(run(filtered({ ...IN_COHORT, value: 39 }), {}, withCohorts(doublingCohorts))).toMatchObject({
      value: undefined,
      detail: expect.stringContaining('more than 10000 conditions'),
    })
    let nestedCohort: unknown = pro
    for (let n = 0; n < 200; n++) nestedCohort = { type: 'AND', values: [nestedCohort] }
    expect(run(filtered(IN_COHORT), {}, withCohorts({ 1: nestedCohort }))).toMatchObject({
      detail: expect.stringContaining('100 deep'),
    })
    for (let n = 0; n < 20_000; n++) nestedCohort = { type: 'AND', values: [nestedCohort] }
    expect(run(filtered(IN_COHORT), {}, withCohorts({ 1: nestedCohort }))).toMatchObject({
      detail: expect.stringContaining('100 deep'),
    })
  })

  it.each<[string, (value: PropertyFilter) => unknown]>([
    ['groups', (value) => ({ type: 'AND', values: [value] })],
    ['cohorts', (value) => value],
  ])('is a cohort with 20,000 nested %s, but not the 40th from the end', (_description, wrap) => {
    const length = 20_000
    const cohorts: Record<string, unknown> = { [length]: { type: 'AND', values: [pro] } }
    for (let n = 1; n < length; n++) cohorts[n] = wrap({ ...IN_COHORT, value: n + 1 })
    const longFlag = { ...filtered(IN_COHORT), key: 'long' }
    const shortFlag = { ...filtered({ ...IN_COHORT, value: length - 40 }), key: 'short' }
    for (const flags of [
      [longFlag, shortFlag],
      [shortFlag, longFlag],
    ]) {
      const set = compile({ ...withCohorts(cohorts), flags })
      const evaluateKey = (key: string): Evaluation =>
        evaluateFlag(
          set.flags.get(key)!,
          evaluationContext({ distinctId: 'u', personProperties: { plan: 'pro' }, complete: true, now: 0 }),
        )
      expect(evaluateKey('long')).toMatchObject({
        detail: expect.stringMatching(/^cohorts\..* is nested more than 100 deep$/),
      })
      expect(evaluateKey('short')).toMatchObject({ value: true })
    }
  })
})
