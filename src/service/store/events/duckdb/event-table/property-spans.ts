import type { PackedColumn } from '../rows/packed-rows.ts'
import type { TextBuilder } from '../rows/text-builder.ts'

/** Where the strings of some rows of `shape`, `rest` and the columns of properties are in a text. */
export interface PropertySpans {
  /** Adds bytes of UTF-8 to the text as the value of a column. */
  setBytes(column: number, row: number, bytes: Buffer, start: number, end: number): void
  /** Adds a string to the text as the value of a column. */
  setString(column: number, row: number, string: string): void
  /** @param shape in ASCII. */
  setShape(row: number, shape: string): void
  /** @param members of `rest`, without its braces. */
  setRest(row: number, members: Buffer): void
  /** Makes a row null in all columns of properties. */
  clearRow(row: number): void
  /** The columns, in the order above. */
  columns(): PackedColumn[]
}

const EMPTY_REST = '{}'

export const createPropertySpans = (columnCount: number, rowCount: number, text: TextBuilder): PropertySpans => {
  // One buffer for all columns: moving it to another thread costs as much as moving one of them.
  const numbers = new Int32Array((columnCount + 2) * 2 * rowCount)
  const part = (index: number): Int32Array<ArrayBuffer> => numbers.subarray(index * rowCount, (index + 1) * rowCount)
  const starts = Array.from({ length: columnCount }, (_, column) => part(column))
  const lengths = Array.from({ length: columnCount }, (_, column) => part(columnCount + column).fill(-1))
  const shapeStarts = part(columnCount * 2)
  const shapeLengths = part(columnCount * 2 + 1)
  const restStarts = part(columnCount * 2 + 2)
  const restLengths = part(columnCount * 2 + 3)
  const usedColumns = new Uint8Array(columnCount)
  const startOfShape = new Map<string, number>()
  const emptyRestStart = text.addString(EMPTY_REST)

  const setSpan = (column: number, row: number, start: number, length: number): void => {
    starts[column]![row] = start
    lengths[column]![row] = length
    usedColumns[column] = 1
  }

  return {
    setBytes(column, row, bytes, start, end) {
      setSpan(column, row, text.addBytes(bytes, start, end), end - start)
    },
    setString(column, row, string) {
      const start = text.addString(string)
      setSpan(column, row, start, text.length() - start)
    },
    setShape(row, shape) {
      let start = startOfShape.get(shape)
      if (start === undefined) {
        start = text.addString(shape)
        startOfShape.set(shape, start)
      }
      shapeStarts[row] = start
      shapeLengths[row] = shape.length
    },
    setRest(row, members) {
      if (members.length === 0) {
        restStarts[row] = emptyRestStart
        restLengths[row] = EMPTY_REST.length
        return
      }
      restStarts[row] = text.addString('{')
      text.addBytes(members, 0, members.length)
      text.addString('}')
      restLengths[row] = text.length() - restStarts[row]
    },
    clearRow(row) {
      for (const columnLengths of lengths) columnLengths[row] = -1
    },
    columns: () => [
      { type: 'VARCHAR', starts: shapeStarts, lengths: shapeLengths },
      { type: 'VARCHAR', starts: restStarts, lengths: restLengths },
      ...starts.map((columnStarts, column): PackedColumn =>
        usedColumns[column] === 0
          ? { type: 'NULL' }
          : { type: 'VARCHAR', starts: columnStarts, lengths: lengths[column]! },
      ),
    ],
  }
}
