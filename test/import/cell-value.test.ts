import { assert, property, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { cellValue } from '../../src/import/cell-value.ts'

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
])('%s is what it is in JSON', (cell, value) => expect(cellValue(cell)).toEqual(value))

test.each([
  ['01067', 'a postal code'],
  ['+491234', 'a telephone number'],
  ['12345678901234567890', 'more digits than a number keeps'],
  ['1234567890123456', 'an id of 16 digits'],
  ['1.10', 'a version, which is not 1.1'],
  ['9.50', 'a zero that a number does not keep'],
  ['12e5', 'hexadecimal digits'],
  ['1e+21', 'an exponent, though a number is written so'],
  ['-0', 'a sign that a number does not keep'],
  ['0.0000001', 'a number is written otherwise'],
  ['True', 'a word'],
  ['1,5', 'a comma'],
  ['{broken', 'no JSON'],
  [' 7', 'a blank before it'],
  ['NaN', 'a word'],
])('%s stays a text (%s)', (cell) => expect(cellValue(cell)).toBe(cell))

test('a cell that becomes a number gives its own characters back', () => {
  const cell = stringMatching(/^-?\d{1,17}(\.\d{1,4})?(e\d)?$/)
  assert(
    property(cell, (text) => {
      expect(`${cellValue(text) as string | number}`).toBe(text)
    }),
  )
})
