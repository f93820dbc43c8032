import { describe, expect, it } from 'vitest'
import { assemble } from '../../../../src/evaluate/operators/pattern/assemble.ts'
import { parsePattern } from '../../../../src/evaluate/operators/pattern/parse-pattern.ts'

const countCells = (pattern: string): number => assemble(parsePattern(pattern)).cells.length

describe('assemble', () => {
  it.each([
    ['', 1],
    ['ab', 5],
    ['^a$', 7],
    ['a|b|c', 11],
    ['a*', 6],
    ['a+', 8],
    ['a?', 6],
    ['(a{3}){4}', 25],
    ['a{2,4}', 15],
    ['(|||)', 6],
    ['(a{0}){1000}', 1],
  ])('compiles %j to %i cells', (pattern, cells) => {
    expect(countCells(pattern)).toBe(cells)
  })

  it('rejects programs above 2,500 cells', () => {
    expect(countCells('a{1249}')).toBe(2_499)
    expect(() => countCells('a{1249}b')).toThrow('too large')
  })
})
