import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { no, createOperator, evaluateOperator, yes } from './evaluate-operator.ts'
import type { Case, Results } from './evaluate-operator.ts'

/** In the service only numbers are compared; elsewhere strings too. */
const orderedElsewhere: Results = [false, true]
const serviceOnly = (service: boolean): Results => [service, undefined]

/** Different results in the service and elsewhere. */
const differs = (service: boolean, elsewhere: boolean): Results => [service, elsewhere]

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
  ['gt', 'b', 'c', orderedElsewhere],
  ['lte', 'abc', 'abb', orderedElsewhere],
  ['gte', 'xyz', 'xyz', orderedElsewhere],
  ['gt', '123aloha', 129, orderedElsewhere],
  ['gt', 1, '2 apples', orderedElsewhere],
  ['gt', 1, ' 2', orderedElsewhere],
  ['lt', 1, '', orderedElsewhere],
  ['gt', 5, 'pro', orderedElsewhere],
  ['gt', 0, true, orderedElsewhere],
  ['gt', 1, '0x10', no],
  ['gt', 1, null, no],
  ['gt', 1, NaN, no],
  ['lt', 1, NaN, no],
  ['gt', 1, Infinity, no],
  ['lt', 1, -Infinity, no],
  ['gt', 5, '1e999', differs(true, false)],
  ['lt', '1e999', '5', differs(true, false)],
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

describe('order operators', () => {
  it.each(cases)(
    '%s %j tests the property %j: %j (in the service, elsewhere)',
    (operator, value, property, expected) => {
      expect(evaluateOperator(operator, value, property)).toEqual(expected)
    },
  )

  it('report an invalid filter value', () => {
    for (const value of [null, true, [1], { a: 1 }, NaN, Infinity] satisfies readonly Json[])
      expect(operatorTable.get('gt')!(value, {})).toMatch('number')
    for (const value of [5, [1], [2, 1], ['a', 'b'], [1, 2, 3], null] satisfies readonly Json[])
      expect(createOperator('between', value).problem).toMatch('two numbers')
    expect(createOperator('between', [1, 1]).problem).toBeUndefined()
  })

  it('treat an absent property as outside a range, and never as greater or less', () => {
    expect(['gt', 'gte', 'lt', 'lte'].map((name) => createOperator(name, 1).ifAbsent)).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(['between', 'not_between'].map((name) => createOperator(name, [1, 2]).ifAbsent)).toEqual([false, true])
  })
})
