import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { no, createOperator, evaluateOperator, yes } from './evaluate-operator.ts'
import type { Case, Results } from './evaluate-operator.ts'

const serviceOnly = (service: boolean): Results => [service, undefined]

const cases: readonly Case[] = [
  ['icontains', 'CM', 'acme', yes],
  ['icontains', 'cm', 'ACME', yes],
  ['icontains', 'x', 'acme', no],
  ['icontains', '', 'acme', yes],
  ['icontains', '3', 232, yes],
  ['icontains', 3, '1.3', yes],
  ['icontains', 'ul', null, yes],
  ['icontains', 'RU', true, yes],
  ['icontains', '"a"', ['A'], yes],
  ['icontains', 'Ä', 'ä', no],
  ['icontains', 'ÄB', 'Äb', yes],
  ['icontains', 'k', '\u212a', no],
  ['not_icontains', 'x', 'acme', yes],
  ['not_icontains', 'C', 'acme', no],
  ['not_icontains', 'x', null, yes],
  ['starts_with', 'AC', 'acme', yes],
  ['starts_with', 'cm', 'acme', no],
  ['starts_with', '2', 23, yes],
  ['not_starts_with', 'AC', 'acme', no],
  ['not_starts_with', 'cm', 'acme', yes],
  ['not_starts_with', 'x', null, yes],
  ['ends_with', 'ME', 'acme', yes],
  ['ends_with', 'cm', 'acme', no],
  ['not_ends_with', 'x', 'acme', yes],
  ['not_ends_with', 'ME', 'acme', no],
  ['not_ends_with', 'x', null, yes],
  ['icontains_multi', ['x', 'CM'], 'acme', serviceOnly(true)],
  ['icontains_multi', ['x', 'y'], 'acme', serviceOnly(false)],
  ['icontains_multi', [], 'acme', serviceOnly(false)],
  ['icontains_multi', 'cm', 'acme', serviceOnly(true)],
  ['not_icontains_multi', ['x', 'CM'], 'acme', serviceOnly(false)],
  ['not_icontains_multi', ['x', 'y'], 'acme', serviceOnly(true)],
]

describe('substring operators', () => {
  it.each(cases)(
    '%s %j tests the property %j: %j (in the service, elsewhere)',
    (operator, value, property, expected) => {
      expect(evaluateOperator(operator, value, property)).toEqual(expected)
    },
  )

  it('are unknown for too deeply nested properties, and reject such filter values', () => {
    let nested: Json = 'x'
    for (let depth = 0; depth < 20_000; depth++) nested = [nested]
    for (const name of ['icontains', 'starts_with', 'ends_with', 'icontains_multi'])
      for (const operator of [name, `not_${name}`]) {
        expect(evaluateOperator(operator, 'x', nested)).toEqual([undefined, undefined])
        expect(operatorTable.get(operator)!(name.endsWith('multi') ? ['x', nested] : nested, {})).toMatch(
          'JSON cannot represent',
        )
      }
  })

  it('treat an absent property as not containing the substring', () => {
    for (const name of ['icontains', 'starts_with', 'ends_with', 'icontains_multi']) {
      expect(createOperator(name, 'x').ifAbsent).toBe(false)
      expect(createOperator(`not_${name}`, 'x').ifAbsent).toBe(true)
    }
  })
})
