import { parse } from 'csv-parse/sync'
import { messageOf } from './import-error.ts'
import type { Row } from './row.ts'

/** The cells of one row, or a sentence that says why the row is invalid. */
export type ParsedCells = readonly string[] | { readonly problem: string }

/**
 * Parses CSV rows (RFC 4180) that the splitter has already separated. All rows are parsed in one call, because starting the parser costs
 * as much as a row. If one row is invalid, each row is parsed alone, to find out which.
 */
export const parseCsvRows = (rows: readonly Row[]): ParsedCells[] => {
  try {
    const records = parseCsv(joinRows(rows))
    if (records.length === rows.length) return records
  } catch {
    // At least one row is invalid.
  }
  return rows.map(parseRow)
}

const parseRow = ({ bytes }: Row): ParsedCells => {
  try {
    const [cells, ...otherRows] = parseCsv(bytes)
    return cells === undefined || otherRows.length > 0 ? { problem: 'This is not one row of CSV.' } : cells
  } catch (error) {
    return { problem: `This is not a valid row of CSV: ${messageOf(error)}.` }
  }
}

const parseCsv = (bytes: Uint8Array): string[][] =>
  parse(bytes as Buffer, { relax_column_count: true, record_delimiter: '\n' })

const LINE_FEED = Buffer.from('\n')

const joinRows = (rows: readonly Row[]): Buffer => Buffer.concat(rows.flatMap(({ bytes }) => [bytes, LINE_FEED]))
