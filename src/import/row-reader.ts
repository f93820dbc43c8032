import { isUtf8 } from 'node:buffer'
import { isRecord } from '../wire/json.ts'
import type { JsonObject } from '../wire/json.ts'
import { parsed } from './cell-value.ts'
import { csvCells } from './csv-cells.ts'
import type { Cells } from './csv-cells.ts'
import { csvColumns } from './csv-columns.ts'
import type { CsvColumns } from './csv-columns.ts'
import { isField } from './fields.ts'
import { ImportError } from './import-error.ts'
import type { Fault } from './reject.ts'
import type { Row } from './row.ts'

/** NDJSON: one JSON object in each line. CSV: as RFC 4180 has it, with a header, commas and double quotes. */
export type ImportFormat = 'ndjson' | 'csv'

/** A row, and the fields in it or what is wrong with it. */
export type Reading = { readonly row: Row } & (
  | {
      readonly fault: null
      readonly fields: JsonObject
      /** The row as JSON, to be shown. */
      readonly json: () => string
    }
  | { readonly fault: Fault; readonly json: string | null }
)

/** Reads rows that were cut out. */
export interface RowReader {
  read(rows: readonly Row[]): Reading[]
  /** The header of a CSV, once it was read; null for none. */
  header(): readonly string[] | null
  /** Names of fields that were left out, because they have no place in an event; at most 50. */
  ignored(): readonly string[]
}

export interface ReaderOptions {
  readonly format: ImportFormat
  /** The header of the CSV, where reading begins behind it; null where it is still to come. */
  readonly header: readonly string[] | null
  readonly textColumns: readonly string[]
}

const MOST_IGNORED = 50

export const createRowReader = (options: ReaderOptions): RowReader =>
  options.format === 'csv' ? createCsvReader(options) : createNdjsonReader()

const createNdjsonReader = (): RowReader => {
  const ignored = new Set<string>()

  const readRow = (row: Row): Reading => {
    const fault = faultOf(row)
    if (fault !== null) return { row, fault, json: null }
    const text = textOf(row)
    const fields = parsed(text)
    if (!isRecord(fields)) return { row, fault: NO_OBJECT, json: fields === undefined ? null : text }
    for (const name in fields) if (!isField(name) && ignored.size < MOST_IGNORED) ignored.add(name)
    return { row, fault: null, fields, json: () => text }
  }

  return { read: (rows) => rows.map(readRow), header: () => null, ignored: () => [...ignored] }
}

const createCsvReader = ({ header: known, textColumns }: ReaderOptions): RowReader => {
  let header = known
  let columns: CsvColumns | null = header && csvColumns(header, textColumns)

  const readHeader = (row: Row): CsvColumns => {
    const [cells] = faultOf(row) === null ? csvCells([row]) : []
    if (cells === undefined || 'problem' in cells) {
      throw new ImportError('wrong_format', 'The first line is no header of a CSV.')
    }
    header = cells
    return csvColumns(cells, textColumns)
  }

  const readCells = (row: Row, cells: Cells, { count, fields, shown }: CsvColumns): Reading => {
    const problem = problemOf(cells, count)
    if ('problem' in cells || problem !== null) {
      return { row, fault: { reason: 'invalid_csv', detail: problem ?? '' }, json: null }
    }
    return { row, fault: null, fields: fields(cells), json: () => JSON.stringify(shown(cells)) }
  }

  return {
    read(given) {
      if (given.length === 0) return []
      const isFirst = columns === null
      const known = (columns ??= readHeader(given[0]!))
      const rows = isFirst ? given.slice(1) : given
      const cells = csvCells(rows.filter((row) => faultOf(row) === null)).values()
      return rows.map((row) => {
        const fault = faultOf(row)
        return fault === null ? readCells(row, cells.next().value!, known) : { row, fault, json: null }
      })
    },
    header: () => header,
    ignored: () => columns?.ignored.slice(0, MOST_IGNORED) ?? [],
  }
}

const problemOf = (cells: Cells, count: number): string | null => {
  if ('problem' in cells) return cells.problem
  return cells.length === count ? null : `The row has ${cells.length} cells, and the header has ${count}.`
}

const textOf = ({ bytes }: Row): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()

const NO_OBJECT: Fault = { reason: 'invalid_json', detail: 'The line is no JSON object.' }

/** What is wrong with the bytes of a row, or null. */
const faultOf = ({ fault, bytes }: Row): Fault | null => {
  if (fault === 'too_large') return { reason: 'too_large', detail: 'The row is longer than any event may be.' }
  if (fault === 'broken_quote') {
    return { reason: 'broken_quote', detail: 'A quoted cell is never closed, or goes on after its closing quote.' }
  }
  return isUtf8(bytes) ? null : { reason: 'invalid_utf8', detail: 'The row is not UTF-8.' }
}
