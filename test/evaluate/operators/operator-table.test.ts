import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { evaluateOperator } from './evaluate-operator.ts'
import { measureCpuMs } from '../../support/cpu-time.ts'

const length = 1_000_000
const repeatUnit = (unit: string, end = ''): string => unit.repeat(length / unit.length) + end

/** Strings of a megabyte that make naive parsers of numbers, dates, versions or patterns backtrack. */
const inputs: readonly string[] = [
  repeatUnit('1', 'x'),
  repeatUnit('1.', 'x'),
  repeatUnit(' ', 'x'),
  repeatUnit('-1'),
  repeatUnit('aA'),
  `1.2.3-${repeatUnit('1.')}`,
  `2024-01-01T10:00:00.${repeatUnit('0')}`,
  repeatUnit('é', '*'),
]

/** The last two are substrings whose prefixes or suffixes occur everywhere in the strings. */
const filterValues: readonly Json[] = [
  1,
  '1.2.3-1.1',
  [1, 2],
  '(1+)+$',
  [...inputs.slice(0, 2), 7],
  ...inputs.slice(0, 3),
  `${'aa'.repeat(length / 8)}b${'aa'.repeat(length / 8)}`,
  `b${'1'.repeat(length / 2)}`,
]

describe('every operator', { timeout: 60_000 }, () => {
  it.each([...operatorTable.keys()])('%s evaluates any string of a megabyte within a second', (name) => {
    for (const value of filterValues) {
      const operator = operatorTable.get(name)!(value, {})
      if (typeof operator === 'string') continue
      for (const input of [...inputs, 'a'.repeat(length)])
        for (const complete of [true, false]) {
          const cpuMs = measureCpuMs(() => operator.test(input, { complete, now: 0 }))
          expect([input.slice(0, 30), complete, cpuMs]).toEqual([
            input.slice(0, 30),
            complete,
            expect.toSatisfy((ms: number) => ms < 1_000),
          ])
        }
    }
  })
})

describe('a number printed as a string', () => {
  it.each<readonly [number: number, printed: string, alternative: string]>([
    [1e21, '1e+21', '1e21'],
    [1e-7, '1e-7', '0.0000001'],
    [1e16, '10000000000000000', '1e16'],
    [-0, '0', '-0'],
  ])('%d equals %s, as JavaScript prints it, and not %s', (number, printed, alternative) => {
    for (const operator of ['exact', 'icontains', 'starts_with', 'ends_with']) {
      expect([operator, evaluateOperator(operator, printed, number)[0]]).toEqual([operator, true])
      expect([operator, evaluateOperator(operator, alternative, number)[0]]).toEqual([operator, false])
    }
    expect(evaluateOperator('exact', `[${printed}]`, [number])[0]).toBe(true)
    expect(evaluateOperator('regex', `^${printed.replace('+', '\\+')}$`, number)[0]).toBe(true)
  })
})
