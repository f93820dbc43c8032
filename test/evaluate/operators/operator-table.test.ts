import { describe, expect, it } from 'vitest'
import { operatorTable } from '../../../src/evaluate/operators/operator-table.ts'
import type { Json } from '../../../src/wire/json.ts'
import { verdicts } from './verdicts.ts'

const length = 1_000_000
const of = (unit: string, end = ''): string => unit.repeat(length / unit.length) + end

/** Texts of a megabyte that what reads numbers, dates, versions, parts or patterns may go back in. */
const texts: readonly string[] = [
  of('1', 'x'),
  of('1.', 'x'),
  of(' ', 'x'),
  of('-1'),
  of('aA'),
  `1.2.3-${of('1.')}`,
  `2024-01-01T10:00:00.${of('0')}`,
  of('é', '*'),
]

/** The last two are parts that the text is full of the beginning, or the end, of. */
const wanted: readonly Json[] = [
  1,
  '1.2.3-1.1',
  [1, 2],
  '(1+)+$',
  [...texts.slice(0, 2), 7],
  ...texts.slice(0, 3),
  `${'aa'.repeat(length / 8)}b${'aa'.repeat(length / 8)}`,
  `b${'1'.repeat(length / 2)}`,
]

describe('every operator', { timeout: 60_000 }, () => {
  it.each([...operatorTable.keys()])('%s has its verdict on a megabyte within a second, on whatever text', (name) => {
    for (const value of wanted) {
      const operator = operatorTable.get(name)!(value, {})
      if (typeof operator === 'string') continue
      for (const text of [...texts, 'a'.repeat(length)])
        for (const complete of [true, false]) {
          const started = performance.now()
          operator.test(text, { complete, now: 0 })
          expect([text.slice(0, 30), complete, performance.now() - started]).toEqual([
            text.slice(0, 30),
            complete,
            expect.toSatisfy((took: number) => took < 1_000),
          ])
        }
    }
  })
})

describe('a number as a text', () => {
  it.each<readonly [number: number, text: string, others: string]>([
    [1e21, '1e+21', '1e21'],
    [1e-7, '1e-7', '0.0000001'],
    [1e16, '10000000000000000', '1e16'],
    [-0, '0', '-0'],
  ])('is, of %d, what JavaScript prints, in the service too: %s, not %s', (number, text, others) => {
    for (const operator of ['exact', 'icontains', 'starts_with', 'ends_with']) {
      expect([operator, verdicts(operator, text, number)[0]]).toEqual([operator, true])
      expect([operator, verdicts(operator, others, number)[0]]).toEqual([operator, false])
    }
    expect(verdicts('exact', `[${text}]`, [number])[0]).toBe(true)
    expect(verdicts('regex', `^${text.replace('+', '\\+')}$`, number)[0]).toBe(true)
  })
})
