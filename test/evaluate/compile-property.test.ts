import { expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import type { CompiledFlag } from '../../src/evaluate/compiled-flag.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation } from '../../src/evaluate/evaluation.ts'
import type { PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'

const compiled = (filter: Omit<PropertyFilter, 'key'>): CompiledFlag => {
  const groups = [{ properties: [{ key: 'x', ...filter }] }]
  return compile({ flags: [{ id: 1, key: 'flag', active: true, filters: { groups } }] }).flags.get('flag')!
}

const run = (flag: CompiledFlag, complete: boolean, personProperties: JsonObject): Evaluation =>
  evaluateFlag(flag, evaluationContext({ distinctId: 'u', complete, now: 0, personProperties }))

const given = (...properties: readonly JsonObject[]): readonly JsonObject[] => properties

it.each<readonly [operator: string, value: Json, words: string]>([
  ['is_date_before', 'soon', 'is_date_before needs a date'],
  ['semver_caret', 'latest', 'semver_caret needs a version'],
])('tells the flaw of %s %j, which matches nobody in the service and is open elsewhere', (operator, value, words) => {
  const flag = compiled({ operator, value })
  expect(flag.problems).toEqual([expect.stringContaining(`filters.groups[0].properties[0]: ${words}`)])
  for (const personProperties of given({}, { x: '2026-01-01' }, { x: 'y' })) {
    expect(run(flag, true, personProperties)).toMatchObject({ value: false, reason: 'no_condition_match' })
    expect(run(flag, false, personProperties)).toMatchObject({
      reason: 'unsupported_definition',
      detail: expect.stringContaining(words),
    })
  }
  expect(run(flag, false, { x: null }).value).toBe(false)
})

it('leaves an operator that no client knows to the service, whatever the property', () => {
  const flag = compiled({ operator: 'between', value: [1, 5] })
  expect(flag.problems).toEqual([])
  expect(run(flag, true, { x: 3 }).value).toBe(true)
  expect(run(flag, true, {}).value).toBe(false)
  for (const personProperties of given({}, { x: 3 }, { x: 'y' }))
    expect(run(flag, false, personProperties)).toMatchObject({ value: undefined, reason: 'unsupported_definition' })
})

it('tells a property that cannot be compared from a flaw of the definition', () => {
  const flag = compiled({ operator: 'is_date_before', value: '2026-01-01' })
  expect(flag.problems).toEqual([])
  expect(run(flag, false, { x: 'soon' })).toMatchObject({ value: undefined, reason: 'missing_context' })
})

it('matches nobody with a pattern that is none, and tells it', () => {
  const flag = compiled({ operator: 'not_regex', value: '[' })
  expect(flag.problems).toEqual(['filters.groups[0].properties[0]: not_regex is no regular expression'])
  expect(run(flag, false, { x: 'y' }).value).toBe(false)
  expect(run(flag, false, {})).toMatchObject({ value: undefined, reason: 'missing_context' })
})

it('takes a property that is there with the value undefined for missing, but asks for its presence by its key', () => {
  const undefinedValue = { x: undefined } as unknown as JsonObject
  const verdict = (operator: string, value: Json): unknown =>
    run(compiled({ operator, value }), true, undefinedValue).value
  for (const operator of ['exact', 'icontains', 'regex'])
    expect([operator, verdict(operator, 'null')]).toEqual([operator, false])
  for (const operator of ['is_not', 'not_icontains', 'not_regex'])
    expect([operator, verdict(operator, 'null')]).toEqual([operator, true])
  expect(verdict('is_set', 'is_set')).toBe(true)
  expect(verdict('is_not_set', 'is_not_set')).toBe(false)
})

it.each(['[', '(?=a)', '^a'])(
  'takes those without the property for outside a pattern, in the service (%j)',
  (value) => {
    expect(run(compiled({ operator: 'not_regex', value }), true, {}).value).toBe(true)
    expect(run(compiled({ operator: 'regex', value }), true, {}).value).toBe(false)
  },
)
