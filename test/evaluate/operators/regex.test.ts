import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { findInvalidPattern } from '../../../src/evaluate/operators/regex.ts'
import { no, createOperator, evaluateOperator, yes } from './evaluate-operator.ts'
import type { Case, Results } from './evaluate-operator.ts'

const serviceOnly = (service: boolean): Results => [service, undefined]

const cases: readonly Case[] = [
  ['regex', '^a.c$', 'abc', yes],
  ['regex', 'B', 'abc', no],
  ['regex', 4, 242, yes],
  ['regex', 'ull', null, yes],
  ['regex', '^\\[', ['x'], yes],
  ['regex', '', 'é', yes],
  ['regex', '\\x41', 'A', yes],
  ['regex', 'a.b', 'a\rb', yes],
  ['not_regex', '^a', 'b', yes],
  ['not_regex', '^a', 'abc', no],
  ['regex', '[', 'x', no],
  ['not_regex', '[', 'x', no],
  ['regex', '?*', 'x', no],
  ['regex', '^[\\w-.]+$', 'x', no],
  ['not_regex', '(?:)*x', 'y', no],
  ['regex', '\\bcat\\b', 'a cat', serviceOnly(true)],
  ['not_regex', '\\bcat\\b', 'a cat', serviceOnly(false)],
  ['regex', 'Ä', 'Ärger', serviceOnly(true)],
  ['regex', '^\\w+$', 'Ärger', serviceOnly(true)],
  ['regex', '\\\\b', 'a\\b', yes],
]

describe('regex operators', () => {
  it.each(cases)(
    '%s %j tests the property %j: %j (in the service, elsewhere)',
    (operator, value, property, expected) => {
      expect(evaluateOperator(operator, value, property)).toEqual(expected)
    },
  )

  it('are unknown for a string that is too long', () => {
    for (const name of ['regex', 'not_regex']) {
      expect(evaluateOperator(name, 'b$', 'a'.repeat(4_096))).toEqual(name === 'regex' ? no : yes)
      expect(evaluateOperator(name, 'b$', 'a'.repeat(4_097))).toEqual([undefined, undefined])
      expect(evaluateOperator(name, '\\d{900}', 'a'.repeat(292))).toEqual([undefined, undefined])
    }
  })

  it('are unknown for cyclic properties, and reject cyclic filter values', () => {
    const cyclic: Json[] = []
    cyclic.push(cyclic)
    for (const name of ['regex', 'not_regex']) {
      expect(evaluateOperator(name, 'x', cyclic)).toEqual([undefined, undefined])
      expect(operatorTable.get(name)!(cyclic, {})).toMatch('JSON cannot represent')
    }
    expect(findInvalidPattern(cyclic)).toBe('is not a regular expression')
  })

  it('report unsupported and invalid patterns', () => {
    expect(operatorTable.get('regex')!('(?=x)', {})).toMatch('lookaround')
    expect(createOperator('not_regex', '[').problem).toMatch('not a valid regular expression')
    expect(['[', '(?=x)', 'x', undefined].map(findInvalidPattern)).toEqual([
      'is not a valid regular expression: it has a class without an end',
      undefined,
      undefined,
      'is not a regular expression',
    ])
  })

  it('treat an absent property as not matching', () => {
    expect([createOperator('regex', 'x').ifAbsent, createOperator('not_regex', 'x').ifAbsent]).toEqual([false, true])
  })
})
