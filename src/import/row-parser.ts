import { isUtf8 } from 'node:buffer'
import { isRecord } from '../wire/json.ts'
import type { JsonObject } from '../wire/json.ts'
import { parseJson } from '../wire/parse-json.ts'
import { parseCsvRows } from './parse-csv-rows.ts'
import type { ParsedCells } from './parse-csv-rows.ts'
import { parseCsvHeader } from './parse-csv-header.ts'
import type { CsvColumns } from './parse-csv-header.ts'
import { isEventField } from './event-fields.ts'
import { ImportError } from './import-error.ts'
import type { Fault } from './reject.ts'
import type { Row } from './row.ts'

/** NDJSON: one JSON object per line. CSV: RFC 4180 with a header, commas and double quotes. */
export type ImportFormat = 'ndjson' | 'csv'

/** A row with its fields, or with what is wrong with it. */
export type ParsedRow = { readonly row: Row } & (
  | {
      readonly fault: null
      readonly fields: JsonObject
      /** Returns the row as JSON, for the rejects file. */
      readonly json: () => string
    }
  | { readonly fault: Fault; readonly json: string | null }
)

/** Parses the rows that a `RowSplitter` has separated. */
export interface RowParser {
  parse(rows: readonly Row[]): ParsedRow[]
  /** Returns the header of a CSV file once it was read; null for NDJSON. */
  header(): readonly string[] | null
  /** Returns the names of fields that are not imported, because an event has no such field; at most 50. */
  ignoredFields(): readonly string[]
}

export interface RowParserOptions {
  readonly format: ImportFormat
  /** The header of a CSV file if reading starts after it; null if it is still to be read. */
  readonly header: readonly string[] | null
  readonly textColumns: readonly string[]
}

const MAX_IGNORED_FIELDS = 50

export const createRowParser = (options: RowParserOptions): RowParser =>
  options.format === 'csv' ? createCsvParser(options) : createNdjsonParser()

const createNdjsonParser = (): RowParser => {
  const ignored = new Set<string>()

  const parseRow = (row: Row): ParsedRow => {
    const fault = checkRow(row)
    if (fault !== null) return { row, fault, json: null }
    const json = decodeRow(row)
    const fields = parseJson(json)
    if (!isRecord(fields)) return { row, fault: NOT_AN_OBJECT, json: fields === undefined ? null : json }
    for (const name in fields) if (!isEventField(name) && ignored.size < MAX_IGNORED_FIELDS) ignored.add(name)
    return { row, fault: null, fields, json: () => json }
  }

  return { parse: (rows) => rows.map(parseRow), header: () => null, ignoredFields: () => [...ignored] }
}

const createCsvParser = ({ header: previousHeader, textColumns }: RowParserOptions): RowParser => {
  let header = previousHeader
  let columns: CsvColumns | null = header && parseCsvHeader(header, textColumns)

  const parseHeader = (row: Row): CsvColumns => {
    const [cells] = checkRow(row) === null ? parseCsvRows([row]) : []
    if (cells === undefined || 'problem' in cells) {
      throw new ImportError('wrong_format', 'The first line is not the header of a CSV file.')
    }
    header = cells
    return parseCsvHeader(cells, textColumns)
  }

  const parseCells = (row: Row, cells: ParsedCells, { columnCount, toFields, toRow }: CsvColumns): ParsedRow => {
    const problem = findProblem(cells, columnCount)
    if ('problem' in cells || problem !== null) {
      return { row, fault: { reason: 'invalid_csv', detail: problem ?? '' }, json: null }
    }
    return { row, fault: null, fields: toFields(cells), json: () => JSON.stringify(toRow(cells)) }
  }

  return {
    parse(rows) {
      if (rows.length === 0) return []
      const hasHeaderRow = columns === null
      const currentColumns = (columns ??= parseHeader(rows[0]!))
      const dataRows = hasHeaderRow ? rows.slice(1) : rows
      const cells = parseCsvRows(dataRows.filter((row) => checkRow(row) === null)).values()
      return dataRows.map((row) => {
        const fault = checkRow(row)
        return fault === null ? parseCells(row, cells.next().value!, currentColumns) : { row, fault, json: null }
      })
    },
    header: () => header,
    ignoredFields: () => columns?.ignoredNames.slice(0, MAX_IGNORED_FIELDS) ?? [],
  }
}

const findProblem = (cells: ParsedCells, count: number): string | null => {
  if ('problem' in cells) return cells.problem
  return cells.length === count ? null : `The row has ${cells.length} cells, but the header has ${count}.`
}

const decodeRow = ({ bytes }: Row): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()

const NOT_AN_OBJECT: Fault = { reason: 'invalid_json', detail: 'The line is not a JSON object.' }

/** Returns what is wrong with the bytes of a row, or null. */
const checkRow = ({ fault, bytes }: Row): Fault | null => {
  if (fault === 'too_large') return { reason: 'too_large', detail: 'The row is longer than any event may be.' }
  if (fault === 'broken_quote') {
    return { reason: 'broken_quote', detail: 'A quoted cell is never closed, or continues after its closing quote.' }
  }
  return isUtf8(bytes) ? null : { reason: 'invalid_utf8', detail: 'The row is not UTF-8.' }
}
