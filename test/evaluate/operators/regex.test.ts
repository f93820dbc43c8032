import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { isPattern } from '../../../src/evaluate/operators/regex.ts'
import { no, operatorOf, verdicts, yes } from './verdicts.ts'
import type { Case, Verdicts } from './verdicts.ts'

const serviceOnly = (service: boolean): Verdicts => [service, undefined]

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
  ['regex', '\\bcat\\b', 'a cat', serviceOnly(true)],
  ['not_regex', '\\bcat\\b', 'a cat', serviceOnly(false)],
  ['regex', 'Ä', 'Ärger', serviceOnly(true)],
  ['regex', '^\\w+$', 'Ärger', serviceOnly(true)],
  ['regex', '\\\\b', 'a\\b', yes],
]

describe('patterns as operators', () => {
  it.each(cases)('%s %j: %j is %j in the service and elsewhere', (operator, value, property, expected) => {
    expect(verdicts(operator, value, property)).toEqual(expected)
  })

  it('have no verdict on a text too long to search', () => {
    for (const name of ['regex', 'not_regex']) {
      expect(verdicts(name, 'b$', 'a'.repeat(4_096))).toEqual(name === 'regex' ? no : yes)
      expect(verdicts(name, 'b$', 'a'.repeat(4_097))).toEqual([undefined, undefined])
      expect(verdicts(name, '\\d{900}', 'a'.repeat(292))).toEqual([undefined, undefined])
    }
  })

  it('have no verdict on what cannot be printed, and find nobody with a value that cannot', () => {
    const circle: Json[] = []
    circle.push(circle)
    for (const name of ['regex', 'not_regex']) {
      expect(verdicts(name, 'x', circle)).toEqual([undefined, undefined])
      expect(operatorTable.get(name)!(circle, {})).toMatch('cannot be printed')
    }
    expect(isPattern(circle)).toBe(false)
  })

  it('say why they cannot be run, or match nobody', () => {
    expect(operatorTable.get('regex')!('(?=x)', {})).toMatch('lookaround')
    expect(operatorOf('not_regex', '[').problem).toMatch('no regular expression')
    expect([isPattern('['), isPattern('(?=x)'), isPattern('x'), isPattern(undefined)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  it('find nothing in somebody without the property', () => {
    expect([operatorOf('regex', 'x').absent, operatorOf('not_regex', 'x').absent]).toEqual([false, true])
  })
})
