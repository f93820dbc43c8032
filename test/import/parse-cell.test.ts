import { assert, property, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { parseCell } from '../../src/import/parse-cell.ts'

test.each([
  ['true', true],
  ['false', false],
  ['null', null],
  ['7', 7],
  ['-0.5', -0.5],
  ['1.1', 1.1],
  ['0', 0],
  ['123456789012345', 123456789012345],
  ['{"a": [1]}', { a: [1] }],
  ['[1, "b"]', [1, 'b']],
])('parses the cell %s as a JSON value', (cell, value) => expect(parseCell(cell)).toEqual(value))

test.each([
  ['01067', 'a postal code'],
  ['+491234', 'a telephone number'],
  ['12345678901234567890', 'more digits than a number can hold'],
  ['1234567890123456', 'an id of 16 digits'],
  ['1.10', 'a version, different from 1.1'],
  ['9.50', 'a trailing zero, which a number loses'],
  ['12e5', 'hexadecimal digits'],
  ['1e+21', 'an exponent'],
  ['-0', 'a sign, which a number loses'],
  ['0.0000001', 'a number that prints as 1e-7'],
  ['True', 'a word'],
  ['1,5', 'a comma'],
  ['{broken', 'not JSON'],
  [' 7', 'a leading space'],
  ['NaN', 'a word'],
])('keeps %s as a string (%s)', (cell) => expect(parseCell(cell)).toBe(cell))

test('returns only numbers that print as the same characters', () => {
  const cells = stringMatching(/^-?\d{1,17}(\.\d{1,4})?(e\d)?$/)
  assert(
    property(cells, (cell) => {
      expect(`${parseCell(cell) as string | number}`).toBe(cell)
    }),
  )
})
