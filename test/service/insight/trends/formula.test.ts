import { describe, expect, it } from 'vitest'
import { parseFormula } from '../../../../src/service/insight/trends/formula.ts'

const compute = (text: string, ...numbers: number[]): number => parseFormula(text, numbers.length, 'formula')(numbers)

describe('parseFormula', () => {
  it.each<[string, readonly number[], number]>([
    ['A', [7], 7],
    ['a + B * 2', [1, 3], 7],
    ['(A + B) * 2', [1, 3], 8],
    ['A - B - C', [10, 3, 2], 5],
    ['-A + +B', [1, 3], 2],
    ['A / B * 100', [1, 4], 25],
    ['A / B', [1, 0], 0],
    ['A + B', [0.1, 0.2], 0.3],
    ['A * 3 - B', [0.1, 0.3], 0],
    ['A / B * 100', [0.07, 0.1], 70],
    ['1.5e1', [0], 15],
  ])('computes %s', (text, numbers, expected) => {
    expect(compute(text, ...numbers)).toBe(expected)
  })

  it.each([
    ['', 'formula must have only'],
    ['A B', 'formula'],
    ['A ** B', 'formula cannot use "**"'],
    ['A && B', 'formula'],
    ['!A', 'formula cannot use "!"'],
    ['A.b', 'formula must have only'],
    ['f(A)', 'formula must have only'],
    ['[A]', 'formula must have only'],
    ['"A"', 'formula must have numbers without quotes'],
    ['AB', 'formula names "AB", but the series are A to B'],
    ['C', 'formula names "C", but the series are A to B'],
    ['(A', 'formula cannot be read'],
  ])('refuses %j', (text, message) => {
    expect(() => compute(text, 1, 2)).toThrow(message)
  })
})
