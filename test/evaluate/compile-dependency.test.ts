import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { flagOf, run } from '../support/run-flag.ts'

const LOCALLY = { complete: false } as const

const wants = (key: string, value: Json = true, more: object = {}): PropertyFilter => ({
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

const valueOf = (
  definition: FlagDefinition,
  others: readonly FlagDefinition[],
  given: Partial<GivenContext> = {},
): Evaluation['value'] => run(definition, given, { flags: others }).value

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
  ])('%j of a flag with variants, for %j: %j', (value, personProperties, expected) => {
    expect(valueOf(flag('top', wants('leaf', value)), [split], { personProperties, ...LOCALLY })).toBe(expected)
  })

  it('goes through any number of flags, with the chain given or without', () => {
    const plan = { key: 'plan', value: 'pro' }
    const plain = [flag('a', plan), flag('b', wants('a')), flag('c', wants('b'))]
    const chained = [
      flag('a', plan),
      flag('b', wants('a', true, { dependency_chain: ['a'] })),
      flag('c', wants('b', true, { dependency_chain: ['a', 'b'] })),
    ]
    for (const [a, b, c] of [plain, chained] as [FlagDefinition, FlagDefinition, FlagDefinition][]) {
      expect(valueOf(c, [b, a], { personProperties: { plan: 'pro' } })).toBe(true)
      expect(valueOf(c, [a, b], { personProperties: { plan: 'free' } })).toBe(false)
      expect(valueOf(c, [{ ...a, active: false }, b], { personProperties: { plan: 'pro' } })).toBe(false)
    }
  })

  it('is for the flag itself, not what it is inside a group of another type', () => {
    const definition = flagOf(
      { aggregation_group_type_index: 0, groups: [{ properties: [wants('leaf', 'blue')] }] },
      { key: 'top' },
    )
    const given = { personProperties: { plan: 'pro' }, groups: { company: 'acme' } }
    expect(run(definition, given, { flags: [split], group_type_mapping: { 0: 'company' } }).value).toBe(true)
  })

  it('is inconclusive while that flag is', () => {
    const evaluation = run(flag('top', wants('leaf')), LOCALLY, { flags: [split] })
    expect(evaluation).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
      detail: 'filters.groups[0].properties[0]: the flag "leaf" has no value here',
    })
    const later = flagOf({ groups: [{ properties: [wants('leaf')] }, {}] }, { key: 'top' })
    expect(run(later, LOCALLY, { flags: [split] })).toMatchObject({ value: true, conditionIndex: 1 })
  })

  it('ends the evaluation when that flag is for the service alone', () => {
    const listed = flag('listed', { key: 'id', type: 'cohort', value: 9 })
    const later = flagOf({ groups: [{ properties: [wants('listed')] }, {}] }, { key: 'top' })
    expect(run(later, LOCALLY, { flags: [listed] })).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
      requiresServer: true,
    })
  })

  it('blocks other values when that flag has a pattern that cannot be searched here', () => {
    const searched = flag('searched', { key: 'x', operator: 'regex', value: '(?=a)' })
    const later = flagOf(
      { ...split.filters, groups: [{ variant: 'red', properties: [wants('searched')] }, { variant: 'blue' }] },
      { key: 'top' },
    )
    expect(run(later, { ...LOCALLY, personProperties: { x: 'a' } }, { flags: [searched] })).toMatchObject({
      value: undefined,
      reason: 'unresolved_dependency',
    })
  })

  it('asks each flag once for one evaluation', () => {
    let reads = 0
    const personProperties = {
      get plan(): string {
        reads++
        return 'pro'
      },
    }
    expect(valueOf(flag('c', wants('leaf'), wants('b')), [split, flag('b', wants('leaf'))], { personProperties })).toBe(
      true,
    )
    expect(reads).toBe(1)
  })

  it('follows what changes in a context that is kept', () => {
    const personProperties: Record<string, string> = { plan: 'pro' }
    const { flags } = compile({ flags: [split, flag('top', wants('leaf'))] })
    const context = evaluationContext({ distinctId: 'u', personProperties, now: 0, ...LOCALLY })
    expect(evaluateFlag(flags.get('top')!, context).value).toBe(true)
    personProperties['plan'] = 'free'
    expect(evaluateFlag(flags.get('top')!, context).value).toBe(false)
  })
})

describe('a flag whose dependency is missing, or is itself', () => {
  const unsupported = { value: undefined, reason: 'unsupported_definition' }
  const missing = { value: false, reason: 'missing_dependency', conditionIndex: undefined, inRollout: undefined }

  it.each<[string, FlagDefinition, FlagDefinition[]]>([
    ['missing', flag('top', wants('gone')), []],
    ['deleted', flag('top', wants('gone')), [{ ...flag('gone'), deleted: true }]],
    ['itself', flag('top', wants('top')), []],
    ['on a circle with it', flag('top', wants('other')), [flag('other', wants('top'))]],
    ['behind a circle', flag('top', wants('a')), [flag('a', wants('b')), flag('b', wants('a'))]],
    [
      'on a circle that names chains',
      flag('top', wants('a', true, { dependency_chain: ['a'] })),
      [flag('a', wants('top', true, { dependency_chain: ['top'] }))],
    ],
  ])('is off in the service and inconclusive elsewhere (%s)', (_name, top, others) => {
    expect(run(top, {}, { flags: others })).toMatchObject(missing)
    expect(run(top, LOCALLY, { flags: others })).toMatchObject(unsupported)
  })

  it('is on a circle where the chain is empty, though only clients believe it', () => {
    const marked = flag('top', wants('leaf', true, { dependency_chain: [] }))
    const given = { personProperties: { plan: 'pro' } }
    expect(run(marked, { ...given, ...LOCALLY }, { flags: [split] })).toMatchObject(unsupported)
    expect(run(marked, given, { flags: [split] })).toMatchObject({ value: true })
  })

  it('is off for that, though its group type is not known either', () => {
    const top = flagOf({ aggregation_group_type_index: 5, groups: [{ properties: [wants('gone')] }] }, { key: 'top' })
    expect(run(top)).toMatchObject(missing)
  })

  it('counts as off for those that ask for it, in the service', () => {
    expect(valueOf(flag('top', wants('a', false)), [flag('a', wants('gone'))])).toBe(true)
  })

  it('misses one where the chain names a flag that is missing, though only clients believe it', () => {
    const marked = flag('top', wants('leaf', true, { dependency_chain: ['gone', 'leaf'] }))
    const given = { personProperties: { plan: 'pro' } }
    expect(run(marked, { ...given, ...LOCALLY }, { flags: [split] })).toMatchObject(unsupported)
    expect(run(marked, given, { flags: [split] })).toMatchObject({ value: true })
  })

  it('is no circle when a flag on it is off for all', () => {
    const off = { ...flag('other', wants('top')), active: false }
    for (const complete of [true, false])
      expect(valueOf(flag('top', wants('other', false)), [off], { complete })).toBe(true)
  })

  it.each([
    ['with the chain', ['gone', 'a']],
    ['without it', undefined],
  ])('is inconclusive elsewhere for those that ask for it, though another condition matches (%s)', (_name, chain) => {
    const a = flagOf({ groups: [{ properties: [wants('gone')] }, {}] }, { key: 'a' })
    const top = flag('top', wants('a', true, chain && { dependency_chain: chain }))
    expect(run(top, LOCALLY, { flags: [a] })).toMatchObject(unsupported)
    expect(run(top, {}, { flags: [a] })).toMatchObject({ value: false, reason: 'no_condition_match' })
  })

  it.each<[string, FlagDefinition, readonly FlagDefinition[]]>([
    ['missing', flag('top', wants('gone')), []],
    ['itself', flag('top', wants('top')), []],
    ['marked', flag('top', wants('leaf', true, { dependency_chain: [] })), [split]],
  ])('is told as a problem, and before an id that was not given (%s)', (_name, top, others) => {
    const byDevice = { ...top, bucketing_identifier: 'device_id' }
    const problem = expect.stringMatching(
      /^filters\.groups\[0\]\.properties\[0\]: the flag ".+" is missing, depends on itself or on too many others$/,
    ) as string
    expect(compile({ flags: [byDevice, ...others] }).flags.get('top')!.problems).toEqual([problem])
    expect(run(byDevice, LOCALLY, { flags: others })).toMatchObject({ ...unsupported, detail: problem })
  })

  it('is no problem of those that ask for it, but told by them before an id that was not given', () => {
    const byDevice = { ...flag('top', wants('a')), bucketing_identifier: 'device_id' }
    const others = [flag('a', wants('gone'))]
    expect(compile({ flags: [byDevice, ...others] }).flags.get('top')!.problems).toEqual([])
    expect(run(byDevice, LOCALLY, { flags: others })).toMatchObject(unsupported)
  })

  it('is found through cohorts, too', () => {
    const cohorts = { 1: { type: 'AND' as const, values: [wants('top')] } }
    const top = flag('top', { key: 'id', type: 'cohort', value: 1 })
    expect(run(top, {}, { cohorts })).toMatchObject(missing)
    expect(run(top, LOCALLY, { cohorts })).toMatchObject(unsupported)
  })

  it.each([
    [wants('leaf', 3), 'must be true, false or the key of a variant'],
    [{ ...wants('leaf'), operator: 'exact' }, '"exact"'],
  ])('says what is wrong with a filter that cannot be read (%#)', (filter, words) => {
    expect(run(flag('top', filter), {}, { flags: [split] })).toMatchObject({
      ...unsupported,
      detail: expect.stringContaining(words),
    })
  })
})
