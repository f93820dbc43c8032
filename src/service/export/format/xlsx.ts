import { Zip, ZipDeflate } from 'fflate'
import { ExportError } from '../export-error.ts'
import type { Table } from '../table/table.ts'
import { createSheetNames } from './sheet-names.ts'
import { formatSheetHeader, formatSheetRow } from './sheet-xml.ts'
import { describeWorkbook, SHEET_END, SHEET_START } from './workbook-parts.ts'

/** Most rows of a sheet (Microsoft, "Excel specifications and limits"). */
const MAX_ROWS = 1_048_576

/** Most characters of a sheet (1 Gi): the packer has no files above 4 GiB. */
const MAX_LENGTH = 2 ** 30

/** Most columns of a sheet, as above. */
const MAX_COLUMNS = 16_384

/** Characters of a sheet that are compressed at once (64 Ki). */
const CHUNK_LENGTH = 64 * 1024

/**
 * Writes tables as a workbook (Office Open XML, ECMA-376), each in a sheet of its own. A table with more rows than a sheet can have
 * continues in the next one.
 *
 * It is ours because the packages that write workbooks either hold all cells in memory or bring an outdated archiver.
 *
 * @param maxRows Rows of a sheet with its header. Default: as many as it can have.
 */
export const writeXlsx = async function* (
  tables: AsyncIterable<Table>,
  maxRows: number = MAX_ROWS,
): AsyncGenerator<Uint8Array> {
  const zip = createZipWriter()
  const nameSheet = createSheetNames()
  const names: string[] = []
  const startSheet = ({ title, columns }: Table): SheetWriter => {
    if (columns.length > MAX_COLUMNS)
      throw new ExportError(`A sheet may have at most ${MAX_COLUMNS} columns. Select fewer, or export as CSV.`)
    names.push(nameSheet(title ?? 'Export'))
    return createSheetWriter(zip.open(`xl/worksheets/sheet${names.length}.xml`), columns)
  }
  for await (const table of tables) {
    let sheet = startSheet(table)
    for await (const row of table.rows) {
      if (sheet.rowCount() === maxRows || sheet.length() > MAX_LENGTH) {
        sheet.end()
        sheet = startSheet(table)
      }
      sheet.add(row)
      yield* zip.take()
    }
    sheet.end()
    yield* zip.take()
  }
  // A workbook has at least one sheet.
  if (names.length === 0) startSheet({ title: null, columns: [], rows: [] }).end()
  for (const [path, text] of Object.entries(describeWorkbook(names))) zip.open(path).push(text, true)
  zip.end()
  yield* zip.take()
}

interface ZipEntry {
  push(text: string, isLast: boolean): void
}

const createZipWriter = () => {
  let chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const encoder = new TextEncoder()
  return {
    open(path: string): ZipEntry {
      const entry = new ZipDeflate(path)
      zip.add(entry)
      return { push: (text, isLast) => entry.push(encoder.encode(text), isLast) }
    },
    /** What was written since the last call. */
    take(): readonly Uint8Array[] {
      const taken = chunks
      chunks = []
      return taken
    },
    end: () => zip.end(),
  }
}

interface SheetWriter {
  add(row: readonly unknown[]): void
  /** With the header. */
  rowCount(): number
  /** Characters. */
  length(): number
  end(): void
}

const createSheetWriter = (entry: ZipEntry, columns: readonly string[]): SheetWriter => {
  let text = SHEET_START + formatSheetHeader(columns)
  let count = 1
  let writtenLength = 0
  return {
    add(row) {
      count += 1
      text += formatSheetRow(row, count)
      if (text.length < CHUNK_LENGTH) return
      writtenLength += text.length
      entry.push(text, false)
      text = ''
    },
    rowCount: () => count,
    length: () => writtenLength + text.length,
    end: () => entry.push(text + SHEET_END, true),
  }
}
