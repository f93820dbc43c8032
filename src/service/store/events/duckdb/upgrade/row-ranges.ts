/** Rows of a table, by their numbers; without `end`. */
export interface RowRange {
  readonly first: number
  readonly end: number
}

/** Rows of the first range. */
const FIRST_ROWS = 64

/** Default of the maximum rows of a range: DuckDB reads as many at once. */
const MAX_ROWS = 2048

/** Bytes that a range is to have: its rows are in memory together. */
const RANGE_BYTES = 8 * 1024 * 1024

/**
 * Reads rows in ranges, in order. Events can be large, so the bytes of a range decide how many rows the next one has.
 *
 * @param read resolves to what it has read, with its bytes.
 * @param maxRows maximum rows of a range. Default: 2,048.
 */
export const readRanges = async function* <Result extends { readonly bytes: number }>(
  rows: RowRange,
  read: (range: RowRange) => Promise<Result>,
  maxRows: number = MAX_ROWS,
): AsyncGenerator<Result> {
  let count = FIRST_ROWS
  for (let { first } = rows; first < rows.end;) {
    const end = Math.min(first + count, rows.end)
    const result = await read({ first, end })
    yield result
    const fittingRows = Math.floor(((end - first) * RANGE_BYTES) / Math.max(1, result.bytes))
    count = Math.max(1, Math.min(fittingRows, count * 2, maxRows))
    first = end
  }
}
