import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { flagOf, run } from '../support/run-flag.ts'

/** A local evaluator, which does not know all properties. */
const LOCAL = { complete: false } as const

/** Creates a filter on the value of another flag. */
const dependsOn = (key: string, value: Json = true, otherFields: object = {}): PropertyFilter => ({
  key,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
  ...otherFields,
})

const flag = (key: string, ...properties: PropertyFilter[]): FlagDefinition =>
  flagOf({ groups: [{ properties }] }, { key })

/** A flag that has the variant "blue" for the plan "pro", and is off for others. */
const leafFlag = flagOf(
  {
    multivariate: { variants: ['blue', 'red'].map((key) => ({ key, rollout_percentage: 50 })) },
    groups: [{ variant: 'blue', properties: [{ key: 'plan', value: 'pro' }] }],
  },
  { key: 'leaf' },
)

const evaluateValue = (
  definition: FlagDefinition,
  otherFlags: readonly FlagDefinition[],
  context: Partial<GivenContext> = {},
): Evaluation['value'] => run(definition, context, { flags: otherFlags }).value

describe('a filter on another flag', () => {
  it.each<[Json, JsonObject, boolean]>([
    [true, { plan: 'pro' }, true],
    [true, { plan: 'free' }, false],
    [false, { plan: 'pro' }, false],
    [false, { plan: 'free' }, true],
    ['blue', { plan: 'pro' }, true],
    ['red', { plan: 'pro' }, false],
    ['blue', { plan: 'free' }, false],
    ['true', { plan: 'pro' }, false],
  ])('on the value %j of a flag with variants: for %j the result is %j', (value, personProperties, expected) => {
    expect(evaluateValue(flag('top', dependsOn('leaf', value)), [leafFlag], { personProperties, ...LOCAL })).toBe(
      expected,
    )
  })

  it('works through several flags, with or without dependency_chain', () => {
    const planFilter = { key: 'plan', value: 'pro' }
    const flagsWithoutChain = [flag('a', planFilter), flag('b', dependsOn('a')), flag('c', dependsOn('b'))]
    const flagsWithChain = [
      flag('a', planFilter),
      flag('b', dependsOn('a', true, { dependency_chain: ['a'] })),
      flag('c', dependsOn('b', true, { dependency_chain: ['a', 'b'] })),
    ]
    for (const [a, b, c] of [flagsWithoutChain, flagsWithChain] as [FlagDefinition, FlagDefinition, FlagDefinition][]) {
      expect(evaluateValue(c, [b, a], { personProperties: { plan: 'pro' } })).toBe(true)
      expect(evaluateValue(c, [a, b], { personProperties: { plan: 'free' } })).toBe(false)
      expect(evaluateValue(c, [{ ...a, active: false }, b], { personProperties: { plan: 'pro' } })).toBe(false)
    }
  })

  it('evaluates the other flag for the person, also inside a group flag', () => {
    const definition = flagOf(
      { aggregation_group_type_index: 0, groups: [{ properties: [dependsOn('leaf', 'blue')] }] },
      { key: 'top' },
    )
    const context = { personProperties: { plan: 'pro' }, groups: { company: 'acme' } }
    expect(run(definition, context, { flags: [leafFlag], group_type_mapping: { 0: 'company' } }).value).toBe(true)
  })

  it('is inconclusive when the other flag is inconclusive', () => {
    const evaluation = run(flag('top', dependsOn('leaf')), LOCAL, { flags: [leafFlag] })
    expect(evaluation).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
      detail: 'filters.groups[0].properties[0]: the flag "leaf" has no value here',
    })
    const topFlag = flagOf({ groups: [{ properties: [dependsOn('leaf')] }, {}] }, { key: 'top' })
    expect(run(topFlag, LOCAL, { flags: [leafFlag] })).toMatchObject({ value: true, conditionIndex: 1 })
  })

  it('ends the evaluation when the other flag requires the service', () => {
    const flagWithUnknownCohort = flag('listed', { key: 'id', type: 'cohort', value: 9 })
    const topFlag = flagOf({ groups: [{ properties: [dependsOn('listed')] }, {}] }, { key: 'top' })
    expect(run(topFlag, LOCAL, { flags: [flagWithUnknownCohort] })).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
      requiresServer: true,
    })
  })

  it('blocks other values when the other flag has an unsupported pattern', () => {
    const flagWithPattern = flag('searched', { key: 'x', operator: 'regex', value: '(?=a)' })
    const topFlag = flagOf(
      { ...leafFlag.filters, groups: [{ variant: 'red', properties: [dependsOn('searched')] }, { variant: 'blue' }] },
      { key: 'top' },
    )
    expect(run(topFlag, { ...LOCAL, personProperties: { x: 'a' } }, { flags: [flagWithPattern] })).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
    })
  })

  it('evaluates each dependency once per evaluation', () => {
    let readCount = 0
    const personProperties = {
      get plan(): string {
        readCount++
        return 'pro'
      },
    }
    expect(
      evaluateValue(flag('c', dependsOn('leaf'), dependsOn('b')), [leafFlag, flag('b', dependsOn('leaf'))], {
        personProperties,
      }),
    ).toBe(true)
    expect(readCount).toBe(1)
  })

  it('reads changed properties when a context is used again', () => {
    const personProperties: Record<string, string> = { plan: 'pro' }
    const { flags } = compile({ flags: [leafFlag, flag('top', dependsOn('leaf'))] })
    const context = evaluationContext({ distinctId: 'u', personProperties, now: 0, ...LOCAL })
    expect(evaluateFlag(flags.get('top')!, context).value).toBe(true)
    personProperties['plan'] = 'free'
    expect(evaluateFlag(flags.get('top')!, context).value).toBe(false)
  })
})

describe('a flag with a missing or cyclic dependency', () => {
  const unsupportedResult = { value: undefined, reason: 'unsupported_definition' }
  const missingDependencyResult = {
    value: false,
    reason: 'missing_dependency',
    conditionIndex: undefined,
    inRollout: undefined,
  }

  it.each<[string, FlagDefinition, FlagDefinition[]]>([
    ['missing', flag('top', dependsOn('gone')), []],
    ['deleted', flag('top', dependsOn('gone')), [{ ...flag('gone'), deleted: true }]],
    ['itself', flag('top', dependsOn('top')), []],
    ['in a cycle with it', flag('top', dependsOn('other')), [flag('other', dependsOn('top'))]],
    ['dependent on a cycle', flag('top', dependsOn('a')), [flag('a', dependsOn('b')), flag('b', dependsOn('a'))]],
    [
      'in a cycle with dependency_chain',
      flag('top', dependsOn('a', true, { dependency_chain: ['a'] })),
      [flag('a', dependsOn('top', true, { dependency_chain: ['top'] }))],
    ],
  ])('is off in the service and inconclusive elsewhere (%s)', (_description, top, otherFlags) => {
    expect(run(top, {}, { flags: otherFlags })).toMatchObject(missingDependencyResult)
    expect(run(top, LOCAL, { flags: otherFlags })).toMatchObject(unsupportedResult)
  })

  it('is inconclusive in a local evaluator when dependency_chain is empty', () => {
    const flagWithChain = flag('top', dependsOn('leaf', true, { dependency_chain: [] }))
    const context = { personProperties: { plan: 'pro' } }
    expect(run(flagWithChain, { ...context, ...LOCAL }, { flags: [leafFlag] })).toMatchObject(unsupportedResult)
    expect(run(flagWithChain, context, { flags: [leafFlag] })).toMatchObject({ value: true })
  })

  it('has the reason missing_dependency even if its group type is unknown', () => {
    const top = flagOf(
      { aggregation_group_type_index: 5, groups: [{ properties: [dependsOn('gone')] }] },
      { key: 'top' },
    )
    expect(run(top)).toMatchObject(missingDependencyResult)
  })

  it('is treated as off by its dependants in the service', () => {
    expect(evaluateValue(flag('top', dependsOn('a', false)), [flag('a', dependsOn('gone'))])).toBe(true)
  })

  it('is inconclusive in a local evaluator when dependency_chain names a missing flag', () => {
    const flagWithChain = flag('top', dependsOn('leaf', true, { dependency_chain: ['gone', 'leaf'] }))
    const context = { personProperties: { plan: 'pro' } }
    expect(run(flagWithChain, { ...context, ...LOCAL }, { flags: [leafFlag] })).toMatchObject(unsupportedResult)
    expect(run(flagWithChain, context, { flags: [leafFlag] })).toMatchObject({ value: true })
  })

  it('has a value when a flag in the cycle is disabled', () => {
    const disabledFlag = { ...flag('other', dependsOn('top')), active: false }
    for (const complete of [true, false])
      expect(evaluateValue(flag('top', dependsOn('other', false)), [disabledFlag], { complete })).toBe(true)
  })

  it.each([
    ['with dependency_chain', ['gone', 'a']],
    ['without dependency_chain', undefined],
  ])('makes its dependants inconclusive in a local evaluator (%s)', (_description, chain) => {
    const a = flagOf({ groups: [{ properties: [dependsOn('gone')] }, {}] }, { key: 'a' })
    const top = flag('top', dependsOn('a', true, chain && { dependency_chain: chain }))
    expect(run(top, LOCAL, { flags: [a] })).toMatchObject(unsupportedResult)
    expect(run(top, {}, { flags: [a] })).toMatchObject({ value: false, reason: 'no_condition_match' })
  })

  it.each<[string, FlagDefinition, readonly FlagDefinition[]]>([
    ['missing', flag('top', dependsOn('gone')), []],
    ['itself', flag('top', dependsOn('top')), []],
    ['marked', flag('top', dependsOn('leaf', true, { dependency_chain: [] })), [leafFlag]],
  ])('has a problem, which is also the reason when the id is missing (%s)', (_description, top, otherFlags) => {
    const topByDevice = { ...top, bucketing_identifier: 'device_id' }
    const problem = expect.stringMatching(
      /^filters\.groups\[0\]\.properties\[0\]: the flag ".+" is missing, depends on itself or on too many other flags$/,
    ) as string
    expect(compile({ flags: [topByDevice, ...otherFlags] }).flags.get('top')!.problems).toEqual([problem])
    expect(run(topByDevice, LOCAL, { flags: otherFlags })).toMatchObject({ ...unsupportedResult, detail: problem })
  })

  it('adds no problem to its dependants, but is their reason when the id is missing', () => {
    const topByDevice = { ...flag('top', dependsOn('a')), bucketing_identifier: 'device_id' }
    const otherFlags = [flag('a', dependsOn('gone'))]
    expect(compile({ flags: [topByDevice, ...otherFlags] }).flags.get('top')!.problems).toEqual([])
    expect(run(topByDevice, LOCAL, { flags: otherFlags })).toMatchObject(unsupportedResult)
  })

  it('is detected through cohorts, too', () => {
    const cohorts = { 1: { type: 'AND' as const, values: [dependsOn('top')] } }
    const top = flag('top', { key: 'id', type: 'cohort', value: 1 })
    expect(run(top, {}, { cohorts })).toMatchObject(missingDependencyResult)
    expect(run(top, LOCAL, { cohorts })).toMatchObject(unsupportedResult)
  })

  it.each([
    [dependsOn('leaf', 3), 'must be true, false or the key of a variant'],
    [{ ...dependsOn('leaf'), operator: 'exact' }, '"exact"'],
  ])('has a detail that says what is wrong with a malformed filter (case %#)', (filter, message) => {
    expect(run(flag('top', filter), {}, { flags: [leafFlag] })).toMatchObject({
      ...unsupportedResult,
      detail: expect.stringContaining(message),
    })
  })
})
