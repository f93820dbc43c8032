import type { ResultTable } from './result-table.ts'

/** Formats rows as CSV (RFC 4180, lines end with CRLF) with a header. Null is an empty cell, and an empty string is `""`; objects and arrays are JSON. */
export const formatCsv = ({ columns, results }: ResultTable): string => [columns, ...results].map(formatCsvRow).join('')

/** The end of a line of CSV, as RFC 4180 has it. */
export const CSV_LINE_END = '\r\n'

/** Formats one line of CSV, with its end. */
export const formatCsvRow = (row: readonly unknown[]): string => `${row.map(formatCell).join()}${CSV_LINE_END}`

const formatCell = (value: unknown): string => {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
}
