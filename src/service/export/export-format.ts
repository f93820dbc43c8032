/** A form in which things can be exported. */
export interface ExportFormat {
  /** The media type, which names the format. */
  readonly mediaType: string
  /** Of file names, without a dot. */
  readonly extension: string
  /** `picture`: of the charts. `rows`: of the numbers, or of what a list has. */
  readonly kind: 'picture' | 'rows'
  /** Days until an export expires, unless its creator says otherwise. */
  readonly keepDays: number
}

/** As long as the protocol's service keeps them (`../shared/queries.md`, ExportedAsset). */
const KEEP_ROWS_DAYS = 7
const KEEP_PICTURE_DAYS = 180

const FORMATS: readonly ExportFormat[] = [
  { mediaType: 'image/png', extension: 'png', kind: 'picture', keepDays: KEEP_PICTURE_DAYS },
  { mediaType: 'image/svg+xml', extension: 'svg', kind: 'picture', keepDays: KEEP_PICTURE_DAYS },
  { mediaType: 'text/csv', extension: 'csv', kind: 'rows', keepDays: KEEP_ROWS_DAYS },
  {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    kind: 'rows',
    keepDays: KEEP_ROWS_DAYS,
  },
  { mediaType: 'application/x-ndjson', extension: 'ndjson', kind: 'rows', keepDays: KEEP_ROWS_DAYS },
  { mediaType: 'application/json', extension: 'json', kind: 'rows', keepDays: KEEP_ROWS_DAYS },
]

/** The formats by their media types. */
export const EXPORT_FORMATS: ReadonlyMap<string, ExportFormat> = new Map(
  FORMATS.map((format) => [format.mediaType, format]),
)
