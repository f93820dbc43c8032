/** One row of the input, separated from its neighbours but not parsed. */
export interface Row {
  /** The row without its line end; for a row that is too large, only its beginning. */
  readonly bytes: Uint8Array
  /** The line where the row begins, from 1. */
  readonly line: number
  /** Offset in the decompressed input where the next row begins. */
  readonly endOffset: number
  /** Number of line ends before `endOffset`. */
  readonly lineCount: number
  /** CSV: up to this offset, a line end inside quotes ends a row. See `InputPosition.doubtEnd`. */
  readonly doubtEnd: number
  /** What the splitter has found wrong with the row, or null. */
  readonly fault: 'too_large' | 'broken_quote' | null
}

/** A position between two rows of the decompressed input, from which reading can continue. It is stored in the journal. */
export interface InputPosition {
  /** Bytes before it. */
  readonly offset: number
  /** Line ends before it. */
  readonly lines: number
  /** Rows before it, without blank lines and the header. */
  readonly rows: number
  /**
   * CSV: up to this offset, a line end inside quotes ends the row. The splitter has already read so far in search of a closing quote, and
   * does not read these bytes again for each row.
   */
  readonly doubtEnd: number
}

export const INPUT_START: InputPosition = { offset: 0, lines: 0, rows: 0, doubtEnd: 0 }
