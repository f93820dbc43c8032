import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../../src/evaluate/operators/operator.ts'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'

const verdict = (
  operator: string,
  value: Json,
  property: Json,
  complete = true,
  propertyMatchingVersion?: number,
): Verdict => {
  const made = operatorTable.get(operator)!(value, { propertyMatchingVersion })
  if (typeof made === 'string') throw new Error(made)
  return made.test(property, { complete, now: 0 })
}

/** Each row: operator, filter value, property, verdict. */
const rows: readonly (readonly [string, Json, Json, boolean])[] = [
  ['exact', 'Pro', 'pRO', true],
  ['exact', 'Ä', 'ä', true],
  ['exact', ['a', 'b'], 'B', true],
  ['exact', ['a', 'b'], 'c', false],
  ['exact', 5, '5', true],
  ['exact', '5', 5, true],
  ['exact', 'null', null, true],
  ['exact', { a: 1 }, { a: 1 }, true],
  ['exact', true, 'TRUE', true],
  ['exact', 'true', [true, 'true'], true],
  ['exact', false, 'banana', true],
  ['exact', 'false', 0, true],
  ['exact', ['true', 'false'], 'true', false],
  ['exact', [], true, true],
  ['exact', [], 'x', false],
  ['exact', [true, 'x'], 'true', true],
  ['is_not', 'a', 'b', true],
  ['is_not', ['a', 'b'], 'A', false],
  ['icontains', 'CM', 'acme', true],
  ['icontains', '3', 232, true],
  ['icontains', 'Ä', 'ä', false],
  ['not_icontains', 'x', 'acme', true],
  ['starts_with', 'AC', 'acme', true],
  ['not_starts_with', 'AC', 'acme', false],
  ['ends_with', 'ME', 'acme', true],
  ['not_ends_with', 'x', 'acme', true],
  ['gt', 9, '10', true],
  ['gt', '9', 10, true],
  ['gt', 'b', 'c', true],
  ['gte', 1.5, 1.5, true],
  ['lt', '30', '100', false],
  ['lte', 'abc', 'abb', true],
  ['gt', 1, null, false],
  ['gt', 0, true, false],
  ['lt', 10, [], false],
  ['is_set', null, null, true],
  ['is_not_set', null, false, false],
  ['regex', '^a.c$', 'abc', true],
  ['regex', 4, 242, true],
  ['regex', '[', 'x', false],
  ['not_regex', '[', 'x', false],
  ['not_regex', '^a', 'b', true],
]

describe('operators', () => {
  it.each(rows)('%s %j: %j is %s', (operator, value, property, expected) => {
    expect(verdict(operator, value, property)).toBe(expected)
  })

  it('compares texts, booleans too, where the definitions say version 2', () => {
    expect(verdict('exact', false, 'banana', true, 2)).toBe(false)
    expect(verdict('exact', false, 'FALSE', true, 2)).toBe(true)
    expect(verdict('exact', true, [true], true, 2)).toBe(false)
    expect(verdict('exact', [], [true], true, 2)).toBe(true)
  })

  it('has no verdict on a number beside its text where a service may print it otherwise', () => {
    expect(verdict('exact', 1, '1', false)).toBeUndefined()
    expect(verdict('exact', ['x', '1.0'], 1, false)).toBeUndefined()
    expect(verdict('is_not', 1, '1', false)).toBeUndefined()
    expect(verdict('exact', 1, '2', false)).toBe(false)
    expect(verdict('exact', 1, 1, false)).toBe(true)
  })

  it('has no verdict on a text too long to search', () => {
    expect(verdict('regex', 'b$', 'a'.repeat(5_000))).toBeUndefined()
  })

  it('says why a filter value cannot be used', () => {
    expect(operatorTable.get('gt')!([1], {})).toMatch('number')
    expect(operatorTable.get('regex')!('(?=x)', {})).toMatch('lookaround')
  })
})
