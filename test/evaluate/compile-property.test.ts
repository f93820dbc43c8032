import { expect, it } from 'vitest'
import { compile } from '../../src/evaluate/compile.ts'
import type { CompiledFlag } from '../../src/evaluate/compiled-flag.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation } from '../../src/evaluate/evaluation.ts'
import type { PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'

const compileFlag = (filter: Omit<PropertyFilter, 'key'>): CompiledFlag => {
  const groups = [{ properties: [{ key: 'x', ...filter }] }]
  return compile({ flags: [{ id: 1, key: 'flag', active: true, filters: { groups } }] }).flags.get('flag')!
}

const run = (flag: CompiledFlag, complete: boolean, personProperties: JsonObject): Evaluation =>
  evaluateFlag(flag, evaluationContext({ distinctId: 'u', complete, now: 0, personProperties }))

it.each<readonly [operator: string, value: Json, message: string]>([
  ['is_date_before', 'soon', 'is_date_before needs a date'],
  ['semver_caret', 'latest', 'semver_caret needs a version'],
])('reports the invalid filter value of %s %j, which never matches in the service', (operator, value, message) => {
  const flag = compileFlag({ operator, value })
  expect(flag.problems).toEqual([expect.stringContaining(`filters.groups[0].properties[0]: ${message}`)])
  for (const personProperties of [{}, { x: '2026-01-01' }, { x: 'y' }] as readonly JsonObject[]) {
    expect(run(flag, true, personProperties)).toMatchObject({ value: false, reason: 'no_condition_match' })
    expect(run(flag, false, personProperties)).toMatchObject({
      reason: 'unsupported_definition',
      detail: expect.stringContaining(message),
    })
  }
  expect(run(flag, false, { x: null }).value).toBe(false)
})

it('evaluates an operator that clients do not have only in the service', () => {
  const flag = compileFlag({ operator: 'between', value: [1, 5] })
  expect(flag.problems).toEqual([])
  expect(run(flag, true, { x: 3 }).value).toBe(true)
  expect(run(flag, true, {}).value).toBe(false)
  for (const personProperties of [{}, { x: 3 }, { x: 'y' }] as readonly JsonObject[])
    expect(run(flag, false, personProperties)).toMatchObject({ value: undefined, reason: 'unsupported_definition' })
})

it('does not report a property value that is not a date as a problem', () => {
  const flag = compileFlag({ operator: 'is_date_before', value: '2026-01-01' })
  expect(flag.problems).toEqual([])
  expect(run(flag, false, { x: 'soon' })).toMatchObject({ value: undefined, reason: 'missing_context' })
})

it('reports an invalid pattern, which never matches', () => {
  const flag = compileFlag({ operator: 'not_regex', value: '[' })
  expect(flag.problems).toEqual([
    'filters.groups[0].properties[0]: not_regex is not a valid regular expression: it has a class without an end',
  ])
  expect(run(flag, false, { x: 'y' }).value).toBe(false)
  expect(run(flag, false, {})).toMatchObject({ value: undefined, reason: 'missing_context' })
})

it('treats an undefined property value as absent, except for is_set and is_not_set', () => {
  const undefinedValue = { x: undefined } as unknown as JsonObject
  const evaluateOperator = (operator: string, value: Json): unknown =>
    run(compileFlag({ operator, value }), true, undefinedValue).value
  for (const operator of ['exact', 'icontains', 'regex'])
    expect([operator, evaluateOperator(operator, 'null')]).toEqual([operator, false])
  for (const operator of ['is_not', 'not_icontains', 'not_regex'])
    expect([operator, evaluateOperator(operator, 'null')]).toEqual([operator, true])
  expect(evaluateOperator('is_set', 'is_set')).toBe(true)
  expect(evaluateOperator('is_not_set', 'is_not_set')).toBe(false)
})

it.each(['[', '(?=a)', '^a'])('in the service, an absent property does not match the pattern %j', (value) => {
  expect(run(compileFlag({ operator: 'not_regex', value }), true, {}).value).toBe(true)
  expect(run(compileFlag({ operator: 'regex', value }), true, {}).value).toBe(false)
})
