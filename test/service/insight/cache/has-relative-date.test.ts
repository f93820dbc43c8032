import { expect, test } from 'vitest'
import { hasRelativeDate } from '../../../../src/service/insight/cache/has-relative-date.ts'
import type { Condition } from '../../../../src/service/insight/filter/condition.ts'

const born = (operator: string, value: string): Condition => ({
  kind: 'property',
  path: 'query',
  source: { of: 'person' },
  name: 'born',
  operator,
  value,
  isNegated: false,
})

const ask = (condition: Condition) => hasRelativeDate({ series: [{ events: { condition } }], range: { from: 1 } })

test.each([
  ['is_date_after', '-7d', true],
  ['is_date_before', '6h', true],
  ['is_date_exact', '-1y', true],
  ['is_date_after', '2026-01-01', false],
  ['exact', '-7d', false],
])('a condition %s %s has one: %s', (operator, value, expected) => {
  expect(ask(born(operator, value))).toBe(expected)
})

test('cohorts that others name twice are searched once', () => {
  let condition = born('exact', 'x')
  for (let depth = 1; depth < 100; depth++)
    condition = { kind: 'cohort', depth, condition: { kind: 'all', conditions: [condition, condition] } }
  expect(ask(condition)).toBe(false)
  expect(ask({ kind: 'any', conditions: [condition, born('is_date_after', '-7d')] })).toBe(true)
})
