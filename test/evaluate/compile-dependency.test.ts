import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { flagOf, run } from '../support/run-flag.ts'

const LOCAL = { complete: false } as const

const dependsOn = (key: string, value: Json = true, more: object = {}): PropertyFilter => ({
  key,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
  ...more,
})

const flag = (key: string, ...properties: PropertyFilter[]): FlagDefinition =>
  flagOf({ groups: [{ properties }] }, { key })

const split = flagOf(
  {
    multivariate: { variants: ['blue', 'red'].map((key) => ({ key, rollout_percentage: 50 })) },
    groups: [{ variant: 'blue', properties: [{ key: 'plan', value: 'pro' }] }],
  },
  { key: 'leaf' },
)

const evaluateValue = (
  definition: FlagDefinition,
  others: readonly FlagDefinition[],
  context: Partial<GivenContext> = {},
): Evaluation['value'] => run(definition, context, { flags: others }).value

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
  ])('wants %j of a flag with variants; with %j it is %j', (value, personProperties, expected) => {
    expect(evaluateValue(flag('top', dependsOn('leaf', value)), [split], { personProperties, ...LOCAL })).toBe(expected)
  })

  it('follows several flags, with or without dependency_chain', () => {
    const plan = { key: 'plan', value: 'pro' }
    const plain = [flag('a', plan), flag('b', dependsOn('a')), flag('c', dependsOn('b'))]
    const chained = [
      flag('a', plan),
      flag('b', dependsOn('a', true, { dependency_chain: ['a'] })),
      flag('c', dependsOn('b', true, { dependency_chain: ['a', 'b'] })),
    ]
    for (const [a, b, c] of [plain, chained] as [FlagDefinition, FlagDefinition, FlagDefinition][]) {
      expect(evaluateValue(c, [b, a], { personProperties: { plan: 'pro' } })).toBe(true)
      expect(evaluateValue(c, [a, b], { personProperties: { plan: 'free' } })).toBe(false)
      expect(evaluateValue(c, [{ ...a, active: false }, b], { personProperties: { plan: 'pro' } })).toBe(false)
    }
  })

  it('evaluates the flag for the person also inside a group flag', () => {
    const definition = flagOf(
      { aggregation_group_type_index: 0, groups: [{ properties: [dependsOn('leaf', 'blue')] }] },
      { key: 'top' },
    )
    const context = { personProperties: { plan: 'pro' }, groups: { company: 'acme' } }
    expect(run(definition, context, { flags: [split], group_type_mapping: { 0: 'company' } }).value).toBe(true)
  })

  it('is inconclusive when that flag is', () => {
    const evaluation = run(flag('top', dependsOn('leaf')), LOCAL, { flags: [split] })
    expect(evaluation).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
      detail: 'filters.groups[0].properties[0]: the flag "leaf" has no value here',
    })
    const later = flagOf({ groups: [{ properties: [dependsOn('leaf')] }, {}] }, { key: 'top' })
    expect(run(later, LOCAL, { flags: [split] })).toMatchObject({ value: true, conditionIndex: 1 })
  })

  it('ends the evaluation when that flag requires the service', () => {
    const listed = flag('listed', { key: 'id', type: 'cohort', value: 9 })
    const later = flagOf({ groups: [{ properties: [dependsOn('listed')] }, {}] }, { key: 'top' })
    expect(run(later, LOCAL, { flags: [listed] })).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
      requiresServer: true,
    })
  })

  it('blocks other values when that flag has an unsupported pattern', () => {
    const searched = flag('searched', { key: 'x', operator: 'regex', value: '(?=a)' })
    const later = flagOf(
      { ...split.filters, groups: [{ variant: 'red', properties: [dependsOn('searched')] }, { variant: 'blue' }] },
      { key: 'top' },
    )
    expect(run(later, { ...LOCAL, personProperties: { x: 'a' } }, { flags: [searched] })).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
    })
  })

  it('evaluates each flag once per evaluation', () => {
    let reads = 0
    const personProperties = {
      get plan(): string {
        reads++
        return 'pro'
      },
    }
    expect(
      evaluateValue(flag('c', dependsOn('leaf'), dependsOn('b')), [split, flag('b', dependsOn('leaf'))], {
        personProperties,
      }),
    ).toBe(true)
    expect(reads).toBe(1)
  })

  it('sees later changes in a reused context', () => {
    const personProperties: Record<string, string> = { plan: 'pro' }
    const { flags } = compile({ flags: [split, flag('top', dependsOn('leaf'))] })
    const context = evaluationContext({ distinctId: 'u', personProperties, now: 0, ...LOCAL })
    expect(evaluateFlag(flags.get('top')!, context).value).toBe(true)
    personProperties['plan'] = 'free'
    expect(evaluateFlag(flags.get('top')!, context).value).toBe(false)
  })
})

describe('a flag with a missing or cyclic dependency', () => {
  const unsupported = { value: undefined, reason: 'unsupported_definition' }
  const missing = { value: false, reason: 'missing_dependency', conditionIndex: undefined, inRollout: undefined }

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
  ])('is off in the service and inconclusive elsewhere (%s)', (_name, top, others) => {
    expect(run(top, {}, { flags: others })).toMatchObject(missing)
    expect(run(top, LOCAL, { flags: others })).toMatchObject(unsupported)
  })

  it('is inconclusive locally where dependency_chain is empty', () => {
    const marked = flag('top', dependsOn('leaf', true, { dependency_chain: [] }))
    const context = { personProperties: { plan: 'pro' } }
    expect(run(marked, { ...context, ...LOCAL }, { flags: [split] })).toMatchObject(unsupported)
    expect(run(marked, context, { flags: [split] })).toMatchObject({ value: true })
  })

  it('reports the dependency before an unknown group type', () => {
    const top = flagOf(
      { aggregation_group_type_index: 5, groups: [{ properties: [dependsOn('gone')] }] },
      { key: 'top' },
    )
    expect(run(top)).toMatchObject(missing)
  })

  it('counts as off for its dependants in the service', () => {
    expect(evaluateValue(flag('top', dependsOn('a', false)), [flag('a', dependsOn('gone'))])).toBe(true)
  })

  it('is inconclusive locally where dependency_chain names a missing flag', () => {
    const marked = flag('top', dependsOn('leaf', true, { dependency_chain: ['gone', 'leaf'] }))
    const context = { personProperties: { plan: 'pro' } }
    expect(run(marked, { ...context, ...LOCAL }, { flags: [split] })).toMatchObject(unsupported)
    expect(run(marked, context, { flags: [split] })).toMatchObject({ value: true })
  })

  it('is not cyclic when a flag in the cycle is disabled', () => {
    const off = { ...flag('other', dependsOn('top')), active: false }
    for (const complete of [true, false])
      expect(evaluateValue(flag('top', dependsOn('other', false)), [off], { complete })).toBe(true)
  })

  it.each([
    ['with dependency_chain', ['gone', 'a']],
    ['without dependency_chain', undefined],
  ])('is inconclusive locally for its dependants (%s)', (_name, chain) => {
    const a = flagOf({ groups: [{ properties: [dependsOn('gone')] }, {}] }, { key: 'a' })
    const top = flag('top', dependsOn('a', true, chain && { dependency_chain: chain }))
    expect(run(top, LOCAL, { flags: [a] })).toMatchObject(unsupported)
    expect(run(top, {}, { flags: [a] })).toMatchObject({ value: false, reason: 'no_condition_match' })
  })

  it.each<[string, FlagDefinition, readonly FlagDefinition[]]>([
    ['missing', flag('top', dependsOn('gone')), []],
    ['itself', flag('top', dependsOn('top')), []],
    ['marked', flag('top', dependsOn('leaf', true, { dependency_chain: [] })), [split]],
  ])('is reported as a problem and before a missing id (%s)', (_name, top, others) => {
    const byDevice = { ...top, bucketing_identifier: 'device_id' }
    const problem = expect.stringMatching(
      /^filters\.groups\[0\]\.properties\[0\]: the flag ".+" is missing, depends on itself or on too many other flags$/,
    ) as string
    expect(compile({ flags: [byDevice, ...others] }).flags.get('top')!.problems).toEqual([problem])
    expect(run(byDevice, LOCAL, { flags: others })).toMatchObject({ ...unsupported, detail: problem })
  })

  it('is not a problem of its dependants but precedes their missing id', () => {
    const byDevice = { ...flag('top', dependsOn('a')), bucketing_identifier: 'device_id' }
    const others = [flag('a', dependsOn('gone'))]
    expect(compile({ flags: [byDevice, ...others] }).flags.get('top')!.problems).toEqual([])
    expect(run(byDevice, LOCAL, { flags: others })).toMatchObject(unsupported)
  })

  it('is found through cohorts too', () => {
    const cohorts = { 1: { type: 'AND' as const, values: [dependsOn('top')] } }
    const top = flag('top', { key: 'id', type: 'cohort', value: 1 })
    expect(run(top, {}, { cohorts })).toMatchObject(missing)
    expect(run(top, LOCAL, { cohorts })).toMatchObject(unsupported)
  })

  it.each([
    [dependsOn('leaf', 3), 'must be true, false or the key of a variant'],
    [{ ...dependsOn('leaf'), operator: 'exact' }, '"exact"'],
  ])('reports what is wrong with a malformed filter (%#)', (filter, message) => {
    expect(run(flag('top', filter), {}, { flags: [split] })).toMatchObject({
      ...unsupported,
      detail: expect.stringContaining(message),
    })
  })
})
