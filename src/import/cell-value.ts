import type { Json } from '../wire/json.ts'

/** No exponent: `12e5` is an id in hexadecimal digits more often than a number. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** More digits than a double is sure to keep: of the ids of a database some would be numbers and some texts. */
const MOST_DIGITS = 15

/**
 * What a CSV cell stands for: `true`, `false`, `null` and numbers, JSON objects and arrays; anything else is a text. A number is what gives the
 * cell back when it is written again: an import cannot be undone, and version 1.10 is not version 1.1.
 */
export const cellValue = (cell: string): Json => {
  if (cell === 'true') return true
  if (cell === 'false') return false
  if (cell === 'null') return null
  if (isNumber(cell)) return Number(cell)
  if (/^\s*[{[]/.test(cell)) return parsed(cell) ?? cell
  return cell
}

const isNumber = (cell: string): boolean =>
  NUMBER.test(cell) && cell.replace(/\D/g, '').length <= MOST_DIGITS && String(Number(cell)) === cell

/** The JSON in a text, or undefined where there is none. */
export const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
