/** @import { Row } from './questions.mjs' */

/** Averages are computed in another order, with other rounding errors. */
const TOLERANCE = 1e-9

/**
 * Compares two answers, whose rows may be in any order, and returns the first difference as text; null if they are the same.
 *
 * @param {readonly Row[]} ours
 * @param {readonly Row[]} others
 */
export const findDifference = (ours, others) => {
  const [rows, otherRows] = [sortRows(ours), sortRows(others)]
  const index = Array.from({ length: Math.max(rows.length, otherRows.length) }).findIndex(
    (_, place) => !isSameRow(rows[place], otherRows[place]),
  )
  return index < 0 ? null : `${JSON.stringify(rows[index])} and ${JSON.stringify(otherRows[index])}`
}

const sortRows = (rows) => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const isSameRow = (row, other) =>
  row?.length === other?.length && row.every((value, index) => isSame(value, other[index]))

const isSame = (value, other) =>
  value === other ||
  (typeof value === 'number' && typeof other === 'number' && Math.abs(value - other) <= TOLERANCE * Math.abs(value))
