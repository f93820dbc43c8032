import { describe, expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import { foldOnce, MAX_WORK, printOnce, shareWork, spendWork } from '../../src/evaluate/work-budget.ts'
import { MAX_FLAG_VALUE_CHARACTERS } from '../../src/wire/bounds.ts'
import type { ConditionGroup, FlagDefinition, PropertyFilter } from '../../src/wire/definition.ts'
import type { Json } from '../../src/wire/json.ts'

const flag = (key: string, groups: readonly ConditionGroup[]): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters: { groups },
})

const contains = (value: string): PropertyFilter => ({ key: 'email', operator: 'icontains', value })

const evaluateAll = (
  flags: readonly FlagDefinition[],
  context: Partial<GivenContext>,
  cohorts: NonNullable<Parameters<typeof compile>[0]['cohorts']> = {},
): ReadonlyMap<string, Evaluation> => {
  const compiled = compile({ flags, cohorts })
  const created = evaluationContext({ distinctId: 'u', complete: true, now: 0, ...context })
  return shareWork(() => new Map([...compiled.flags].map(([key, each]) => [key, evaluateFlag(each, created)])))
}

const valuesOf = (evaluations: ReadonlyMap<string, Evaluation>): readonly Evaluation['value'][] =>
  [...evaluations.values()].map(({ value }) => value)

describe('a value of more than 64 KiB', () => {
  const readers: readonly (readonly [operator: string, value: Json])[] = [
    ['exact', 'a'],
    ['exact', true],
    ['is_not', ['a', 'b']],
    ['icontains', 'a'],
    ['not_icontains', 'a'],
    ['starts_with', 'a'],
    ['icontains_multi', ['a', 'b']],
    ['regex', 'a'],
    ['gt', 1],
    ['between', [1, 2]],
    ['is_date_before', '2026-01-01'],
    ['semver_eq', '1.2.3'],
  ]
  const tooLong: readonly (readonly [name: string, value: Json])[] = [
    ['string', 'a'.repeat(MAX_FLAG_VALUE_CHARACTERS + 1)],
    ['list', Array.from({ length: MAX_FLAG_VALUE_CHARACTERS + 1 }, () => 1)],
    ['object', { deep: [{ text: 'a'.repeat(MAX_FLAG_VALUE_CHARACTERS) }, 'a'] }],
  ]

  it.each(tooLong)('makes every operator that reads it inconclusive (%s)', (_name, value) => {
    const flags = readers.map(([operator, expected], index) =>
      flag(`f${index}`, [{ properties: [{ key: 'email', operator, value: expected }] }]),
    )
    const evaluations = evaluateAll(flags, { personProperties: { email: value } })
    expect(new Set(valuesOf(evaluations))).toEqual(new Set([undefined]))
  })

  it('does not affect flags that do not read it, or only test whether it is set', () => {
    const flags = [
      flag('other', [{ properties: [{ key: 'plan', value: 'pro' }] }]),
      flag('set', [{ properties: [{ key: 'email', operator: 'is_set' }] }]),
      flag('everyone', [{}]),
    ]
    const personProperties = { email: 'a'.repeat(MAX_FLAG_VALUE_CHARACTERS + 1), plan: 'pro' }
    expect(valuesOf(evaluateAll(flags, { personProperties }))).toEqual([true, true, true])
  })

  it('is compared up to the bound', () => {
    const flags = [flag('f', [{ properties: [contains('@B.com')] }])]
    const email = `${'A'.repeat(MAX_FLAG_VALUE_CHARACTERS - 6)}@b.COM`
    expect(valuesOf(evaluateAll(flags, { personProperties: { email } }))).toEqual([true])
  })

  it('keeps a later condition from deciding otherwise', () => {
    const definition: FlagDefinition = {
      ...flag('f', [{ properties: [contains('a')], variant: 'a' }, { variant: 'b' }]),
    }
    const multivariate = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) }
    const flags = [{ ...definition, filters: { ...definition.filters, multivariate } }]
    const personProperties = { email: 'a'.repeat(MAX_FLAG_VALUE_CHARACTERS + 1) }
    expect(valuesOf(evaluateAll(flags, { personProperties }))).toEqual([undefined])
  })

  it('is inconclusive in a group too, and outside shared work', () => {
    const definition = flag('f', [{ properties: [contains('a')] }])
    const flags = [{ ...definition, filters: { ...definition.filters, aggregation_group_type_index: 0 } }]
    const compiled = compile({ flags, group_type_mapping: { 0: 'company' } })
    const context = evaluationContext({
      distinctId: 'u',
      complete: true,
      now: 0,
      groups: { company: 'c' },
      groupProperties: { company: { email: 'a'.repeat(MAX_FLAG_VALUE_CHARACTERS + 1) } },
    })
    expect(evaluateFlag(compiled.flags.get('f')!, context)).toMatchObject({
      value: undefined,
      reason: 'missing_context',
    })
  })
})

describe('the work of one request', () => {
  const email = 'a'.repeat(MAX_FLAG_VALUE_CHARACTERS)
  const readers = Array.from({ length: 1000 }, (_, index) =>
    flag(`f${index}`, [{ properties: [contains(`@${index}`)] }]),
  )
  /** Comparisons of the longest value that fit. */
  const maxComparisons = Math.floor(MAX_WORK / MAX_FLAG_VALUE_CHARACTERS)

  it('ends evaluations of long values, and leaves flags that read nothing', () => {
    const values = valuesOf(evaluateAll([...readers, flag('everyone', [{}])], { personProperties: { email } }))
    const decided = values.filter((value) => value === false).length
    expect(decided).toBeLessThanOrEqual(maxComparisons)
    expect(decided).toBeGreaterThan(maxComparisons / 2)
    expect(values.slice(decided, -1).every((value) => value === undefined)).toBe(true)
    expect(values.at(-1)).toBe(true)
  })

  it('is the same for the same flags and values, and begins anew with each request', () => {
    const [first, second] = [1, 2].map(() => valuesOf(evaluateAll(readers, { personProperties: { email } })))
    expect(first).toEqual(second)
  })

  it('suffices for 50 flags with a value of 64 KiB, and for 5,000 with ordinary ones', () => {
    expect(valuesOf(evaluateAll(readers.slice(0, 50), { personProperties: { email } }))).not.toContain(undefined)
    const flags = Array.from({ length: 5000 }, (_, index) =>
      flag(`f${index}`, [{ properties: [contains('x'), contains('y'), { key: 'plan', value: ['a', 'b'] }] }]),
    )
    const personProperties = { email: 'person@shop.example', plan: 'a' }
    expect(valuesOf(evaluateAll(flags, { personProperties }))).not.toContain(undefined)
  })

  it('counts the conditions of a cohort each time it is named', () => {
    const values = Array.from({ length: 5000 }, (_, index) => contains(`@${index}`))
    const flags = Array.from({ length: 100 }, (_, index) =>
      flag(`f${index}`, [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }]),
    )
    const evaluations = evaluateAll(flags, { personProperties: { email: 'a@b.c' } }, { 1: { type: 'OR', values } })
    expect(valuesOf(evaluations)).toContain(false)
    expect(valuesOf(evaluations)).toContain(undefined)
  })

  it('counts each part of a list, and each character of an id that is hashed', () => {
    const parts = Array.from({ length: 100_000 }, (_, index) => `@${index}`)
    const listed = Array.from({ length: 10 }, (_, index) =>
      flag(`f${index}`, [{ properties: [{ key: 'email', operator: 'icontains_multi', value: parts }] }]),
    )
    expect(valuesOf(evaluateAll(listed, { personProperties: { email: 'a' } }))).toContain(undefined)
    const hashed = Array.from({ length: 10 }, (_, index) => flag(`f${index}`, [{ rollout_percentage: 50 }]))
    expect(valuesOf(evaluateAll(hashed, { distinctId: 'a'.repeat(1_000_000) })).slice(2)).toEqual(
      Array.from({ length: 8 }, () => undefined),
    )
    expect(valuesOf(evaluateAll(hashed, { distinctId: 'a'.repeat(10_000) }))).not.toContain(undefined)
  })

  it('counts the steps of a pattern', () => {
    const pattern = '([а-яёa-zА-Я]?){60}x'
    const flags = Array.from({ length: 2000 }, (_, index) =>
      flag(`f${index}`, [{ properties: [{ key: 'email', operator: 'regex', value: `${pattern}${index}` }] }]),
    )
    const values = valuesOf(evaluateAll(flags, { personProperties: { email: 'ёa'.repeat(80) } }))
    expect(values[0]).toBe(false)
    expect(values.at(-1)).toBeUndefined()
  })

  it('evaluates a flag once that others depend on', () => {
    const depending = Array.from({ length: 200 }, (_, index) =>
      flag(`f${index}`, [{ properties: [{ key: 'base', type: 'flag', value: true }] }]),
    )
    const base = flag('base', [{ properties: [contains('@')] }])
    const values = valuesOf(evaluateAll([base, ...depending], { personProperties: { email } }))
    expect(values).not.toContain(undefined)
  })

  it('changes the case of a long value once, and prints a list once', () => {
    let calls = 0
    const fold = (input: string): string => {
      calls++
      return input.toLowerCase()
    }
    const list = ['A']
    shareWork(() => {
      for (let n = 0; n < 5; n++) foldOnce('A'.repeat(500), fold)
      for (let n = 0; n < 5; n++) printOnce(list, (value) => fold(JSON.stringify(value)))
    })
    expect(calls).toBe(2)
  })

  it('has its own budget for a flag that is evaluated outside a request, also after one that used it up', () => {
    const conditions = Array.from({ length: maxComparisons + 1 }, (_, index) => contains(`@${index}`))
    const [cheap, costly] = [
      flag('cheap', [{ properties: [contains('a')] }]),
      flag(
        'costly',
        conditions.map((condition) => ({ properties: [condition] })),
      ),
    ]
    const { flags } = compile({ flags: [cheap, costly] })
    const context = evaluationContext({ distinctId: 'u', complete: true, now: 0, personProperties: { email } })
    const evaluateKeys = (...keys: string[]) => keys.map((key) => evaluateFlag(flags.get(key)!, context).value)
    expect(evaluateKeys('costly', 'cheap', 'costly')).toEqual([undefined, true, undefined])
    expect(() => shareWork(() => spendWork(MAX_WORK + 1))).toThrow('The work of this request is used up.')
    expect(evaluateKeys('cheap')).toEqual([true])
    expect(shareWork(() => evaluateKeys('costly', 'cheap'))).toEqual([undefined, undefined])
  })
})
