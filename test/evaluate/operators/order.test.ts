import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { no, operatorOf, verdicts, yes } from './verdicts.ts'
import type { Case, Verdicts } from './verdicts.ts'

/** Elsewhere texts have an order, in the service only numbers. */
const asTexts: Verdicts = [false, true]
const serviceOnly = (service: boolean): Verdicts => [service, undefined]

const serviceSays = (service: boolean, elsewhere: boolean): Verdicts => [service, elsewhere]

const cases: readonly Case[] = [
  ['gt', 9, '10', yes],
  ['gt', '9', 10, yes],
  ['gt', 1, 1, no],
  ['gte', 1.5, 1.5, yes],
  ['gte', '1e2', '100.0', yes],
  ['lt', '30', '100', no],
  ['lt', 10, 9, yes],
  ['lt', 0, -0.5, yes],
  ['lte', '-1', '-1', yes],
  ['lte', 10, '11', no],
  ['gt', 'b', 'c', asTexts],
  ['lte', 'abc', 'abb', asTexts],
  ['gte', 'xyz', 'xyz', asTexts],
  ['gt', '123aloha', 129, asTexts],
  ['gt', 1, '2 apples', asTexts],
  ['gt', 1, ' 2', asTexts],
  ['lt', 1, '', asTexts],
  ['gt', 5, 'pro', asTexts],
  ['gt', 0, true, asTexts],
  ['gt', 1, '0x10', no],
  ['gt', 1, null, no],
  ['gt', 1, NaN, no],
  ['lt', 1, NaN, no],
  ['gt', 1, Infinity, no],
  ['lt', 1, -Infinity, no],
  ['gt', 5, '1e999', serviceSays(true, false)],
  ['lt', '1e999', '5', serviceSays(true, false)],
  ['gte', '1.', '1', yes],
  ['gt', '.5', '1.e1', yes],
  ['lt', 10, null, no],
  ['between', [1, 10], 1, serviceOnly(true)],
  ['between', [1, 10], '10', serviceOnly(true)],
  ['between', ['1', '10'], 10.1, serviceOnly(false)],
  ['between', [1, 10], 'x', serviceOnly(false)],
  ['between', [1, 10], null, serviceOnly(false)],
  ['between', [10, 1], 5, serviceOnly(false)],
  ['between', 5, 5, serviceOnly(false)],
  ['not_between', [1, 10], 10, serviceOnly(false)],
  ['not_between', [1, 10], 11, serviceOnly(true)],
  ['not_between', [1, 10], 'x', serviceOnly(false)],
  ['not_between', [10, 1], 5, serviceOnly(false)],
  ['not_between', [1, 10], Infinity, serviceOnly(false)],
]

describe('order', () => {
  it.each(cases)('%s %j: %j is %j in the service and elsewhere', (operator, value, property, expected) => {
    expect(verdicts(operator, value, property)).toEqual(expected)
  })

  it('says what its filter value must be', () => {
    for (const value of [null, true, [1], { a: 1 }, NaN, Infinity] satisfies readonly Json[])
      expect(operatorTable.get('gt')!(value, {})).toMatch('number')
    for (const value of [5, [1], [2, 1], ['a', 'b'], [1, 2, 3], null] satisfies readonly Json[])
      expect(operatorOf('between', value).problem).toMatch('two numbers')
    expect(operatorOf('between', [1, 1]).problem).toBeUndefined()
  })

  it('counts somebody without the property as outside a range, and as neither more nor less', () => {
    expect(['gt', 'gte', 'lt', 'lte'].map((name) => operatorOf(name, 1).absent)).toEqual([false, false, false, false])
    expect(['between', 'not_between'].map((name) => operatorOf(name, [1, 2]).absent)).toEqual([false, true])
  })
})
