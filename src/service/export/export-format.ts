import type { CsvOptions } from './format/csv.ts'
import { writeCsv } from './format/csv.ts'
import { writeJson, writeNdjson } from './format/json.ts'
import { writeXlsx } from './format/xlsx.ts'
import type { Table } from './table/table.ts'

/** Chunks of a file. */
export type Content = AsyncIterable<string | Uint8Array>

interface FormatFields {
  /** The media type, which names the format. */
  readonly mediaType: string
  /** Of file names, without a dot. */
  readonly extension: string
  /** Days until an export expires, unless its creator says otherwise. */
  readonly keepDays: number
}

/** A form in which charts can be exported. */
export interface PictureFormat extends FormatFields {
  readonly kind: 'picture'
}

/** A form in which the numbers of a chart can be exported, or what a list has. */
export interface RowFormat extends FormatFields {
  readonly kind: 'rows'
  readonly write: (tables: AsyncIterable<Table>, options: CsvOptions) => Content
}

/** A form in which things can be exported. */
export type ExportFormat = PictureFormat | RowFormat

/** As long as the protocol's service keeps them (`../shared/queries.md`, ExportedAsset). */
const ROWS = { kind: 'rows', keepDays: 7 } as const
const PICTURE = { kind: 'picture', keepDays: 180 } as const

const FORMATS: readonly ExportFormat[] = [
  { ...PICTURE, mediaType: 'image/png', extension: 'png' },
  { ...PICTURE, mediaType: 'image/svg+xml', extension: 'svg' },
  { ...ROWS, mediaType: 'text/csv', extension: 'csv', write: writeCsv },
  {
    ...ROWS,
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    write: (tables) => writeXlsx(tables),
  },
  { ...ROWS, mediaType: 'application/x-ndjson', extension: 'ndjson', write: writeNdjson },
  { ...ROWS, mediaType: 'application/json', extension: 'json', write: writeJson },
]

/** The formats by their media types. */
export const EXPORT_FORMATS: ReadonlyMap<string, ExportFormat> = new Map(
  FORMATS.map((format) => [format.mediaType, format]),
)
