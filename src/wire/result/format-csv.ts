import type { ResultTable } from './result-table.ts'
import { toSafeCell } from './to-safe-cell.ts'

/** The end of a line of CSV, as RFC 4180 has it. */
export const CSV_LINE_END = '\r\n'

/**
 * Formats rows as CSV with a header. Null is an empty cell, and an empty string is `""`; objects and arrays are JSON. No cell is a formula
 * for a spreadsheet program (`toSafeCell`).
 *
 * @param lineEnd Default: that of RFC 4180. A terminal and a pipe want `\n`.
 */
export const formatCsv = ({ columns, results }: ResultTable, lineEnd: string = CSV_LINE_END): string =>
  [columns, ...results].map((row) => formatCsvRow(row.map(toSafeCell), lineEnd)).join('')

/** Formats one line of CSV, with its end. */
export const formatCsvRow = (row: readonly unknown[], lineEnd: string = CSV_LINE_END): string =>
  `${row.map(formatCell).join()}${lineEnd}`

const formatCell = (value: unknown): string => {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
}
