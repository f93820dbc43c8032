import type { Json } from '../wire/json.ts'

/** A number as JSON writes it: no plus, no leading zero, so that telephone numbers and postal codes stay texts. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** More digits than a double keeps: ids of some databases would become others. */
const MOST_DIGITS = 15

/**
 * What a CSV cell stands for: `true`, `false`, `null` and numbers as in JSON, JSON objects and arrays; anything else is a text. A number that
 * a double does not hold exactly stays a text.
 */
export const cellValue = (cell: string): Json => {
  if (cell === 'true') return true
  if (cell === 'false') return false
  if (cell === 'null') return null
  if (NUMBER.test(cell) && digitsOf(cell) <= MOST_DIGITS && Number.isFinite(Number(cell))) return Number(cell)
  if (/^\s*[{[]/.test(cell)) return parsed(cell) ?? cell
  return cell
}

const digitsOf = (number: string): number => number.replace(/[eE].*/, '').replace(/\D/g, '').length

/** The JSON in a text, or undefined where there is none. */
export const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
