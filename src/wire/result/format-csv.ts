import type { ResultTable } from './result-table.ts'

/** Formats rows as CSV (RFC 4180) with a header. Null is an empty cell, and an empty string is `""`; objects and arrays are JSON. */
export const formatCsv = ({ columns, results }: ResultTable): string => [columns, ...results].map(formatCsvRow).join('')

/** Formats one line of CSV. */
export const formatCsvRow = (row: readonly unknown[]): string => `${row.map(formatCell).join()}\n`

const formatCell = (value: unknown): string => {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
}
