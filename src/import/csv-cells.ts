import { parse } from 'csv-parse/sync'
import { messageOf } from './import-error.ts'
import type { Row } from './row.ts'

/** The cells of one row, or what is wrong with it in words. */
export type Cells = readonly string[] | { readonly problem: string }

/**
 * The cells of CSV rows (RFC 4180) that were cut out already. All of them at once: starting the parser costs as much as a row. Only where
 * one of them is broken each is read for itself, to tell which.
 */
export const csvCells = (rows: readonly Row[]): Cells[] => {
  try {
    const found = parseRows(joined(rows))
    if (found.length === rows.length) return found
  } catch {
    // One of them is broken.
  }
  return rows.map(cellsOf)
}

const cellsOf = ({ bytes }: Row): Cells => {
  try {
    const [cells, ...more] = parseRows(bytes)
    return cells === undefined || more.length > 0 ? { problem: 'This is not one row of CSV.' } : cells
  } catch (error) {
    return { problem: `This is no row of CSV: ${messageOf(error)}.` }
  }
}

const parseRows = (bytes: Uint8Array): string[][] =>
  parse(bytes as Buffer, { relax_column_count: true, record_delimiter: '\n' })

const LINE_FEED = Buffer.from('\n')

const joined = (rows: readonly Row[]): Buffer => Buffer.concat(rows.flatMap(({ bytes }) => [bytes, LINE_FEED]))
