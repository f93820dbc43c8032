import type { Json } from '../wire/json.ts'
import { parseJson } from '../wire/parse-json.ts'

/** No exponent: `12e5` is more often a hexadecimal id than a number. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** The digits that a double always keeps. Longer ids stay strings, so that a column of ids does not mix numbers and strings. */
const MAX_DIGITS = 15

/**
 * Returns the value of a CSV cell: `true`, `false`, `null`, a number, a JSON object or array, or else the string itself.
 *
 * A cell is a number only if the number prints as the same characters. An import cannot be undone, and version 1.10 is not version 1.1.
 */
export const parseCell = (cell: string): Json => {
  if (cell === 'true') return true
  if (cell === 'false') return false
  if (cell === 'null') return null
  if (isNumber(cell)) return Number(cell)
  if (/^\s*[{[]/.test(cell)) return parseJson(cell) ?? cell
  return cell
}

const isNumber = (cell: string): boolean =>
  NUMBER.test(cell) && cell.replace(/\D/g, '').length <= MAX_DIGITS && String(Number(cell)) === cell
