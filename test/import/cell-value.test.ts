import { expect, test } from 'vitest'
import { cellValue } from '../../src/import/cell-value.ts'

test.each([
  ['true', true],
  ['false', false],
  ['null', null],
  ['7', 7],
  ['-0.5', -0.5],
  ['1e3', 1000],
  ['9.50', 9.5],
  ['{"a": [1]}', { a: [1] }],
  ['[1, "b"]', [1, 'b']],
])('%s is what it is in JSON', (cell, value) => expect(cellValue(cell)).toEqual(value))

test.each([
  ['01067', 'a postal code'],
  ['+491234', 'a telephone number'],
  ['12345678901234567890', 'more digits than a number keeps'],
  ['1e999', 'more than a number holds'],
  ['True', 'a word'],
  ['1,5', 'a comma'],
  ['{broken', 'no JSON'],
  [' 7', 'a blank before it'],
  ['NaN', 'a word'],
])('%s stays a text (%s)', (cell) => expect(cellValue(cell)).toBe(cell))
