import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, createOperator, unknown, evaluateOperator, yes } from './evaluate-operator.ts'
import type { Case, Results } from './evaluate-operator.ts'

const now = Date.parse('2026-03-31T12:00:00Z')
const serviceOnly = (service: boolean): Results => [service, undefined]

const cases: readonly Case[] = [
  ['is_date_before', '2026-05-01', '2026-04-30', yes],
  ['is_date_before', '2026-05-01', '2026-05-01', no],
  ['is_date_after', '2026-05-01', '2026-05-01', no],
  ['is_date_after', '2026-05-01', '2026-05-01T00:00:00.001Z', yes],
  ['is_date_before', '2026-05-01', 0, yes],
  ['is_date_after', 1_234, '2026-01-01', yes],
  ['is_date_before', '-30d', '2026-03-01T11:59:59', yes],
  ['is_date_before', '30d', '2026-03-01T12:00:00', no],
  ['is_date_after', '1m', '2026-02-28T12:00:01Z', yes],
  ['is_date_after', '1m', '2026-02-28T12:00:00Z', no],
  ['is_date_before', '2026-05-01', null, no],
  ['is_date_after', '2026-05-01', null, no],
  ['is_date_before', '2026-05-01', 'yesterday', unknown],
  ['is_date_before', '2026-05-01', true, unknown],
  ['is_date_before', '2026-05-01', {}, unknown],
  ['is_date_before', true, '2026-05-01', unknown],
  ['is_date_after', '30x', '2026-05-01', unknown],
  ['is_date_after', '10000d', '2026-05-01', unknown],
  ['is_date_exact', '2026-05-01', '2026-05-01 00:00:00+00:00', serviceOnly(true)],
  ['is_date_exact', '2026-05-01', '2026-05-02', serviceOnly(false)],
  ['is_date_exact', '-1d', '2026-03-30T12:00:00Z', serviceOnly(true)],
]

describe('date operators', () => {
  it.each(cases)(
    '%s %j tests the property %j: %j (in the service, elsewhere)',
    (operator, value, property, expected) => {
      expect(evaluateOperator(operator, value, property, { now })).toEqual(expected)
    },
  )

  it('accept a Date, which JSON represents as a string', () => {
    expect(evaluateOperator('is_date_before', '2026-05-01', new Date(0) as unknown as Json)).toEqual(yes)
    expect(evaluateOperator('is_date_before', '2026-05-01', new Date(NaN) as unknown as Json)).toEqual(unknown)
  })

  it('report an invalid filter value', () => {
    for (const value of ['soon', '30', false, null, [], '2026-02-30'] satisfies readonly Json[])
      expect(createOperator('is_date_before', value).problem).toMatch('a date')
    expect(createOperator('is_date_before', '-30d').problem).toBeUndefined()
  })

  it('do not match an absent property', () => {
    for (const name of ['is_date_before', 'is_date_after', 'is_date_exact'])
      expect(createOperator(name, '1d').ifAbsent).toBe(false)
  })
})
