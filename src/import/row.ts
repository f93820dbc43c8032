/** One row of the input, cut out but not read. */
export interface Row {
  /** Without its line end; of a row that is too large only the beginning. */
  readonly bytes: Uint8Array
  /** The line where it begins, from 1. */
  readonly line: number
  /** Bytes of the (unpacked) input up to its end, its line end included: where the next row begins. */
  readonly end: number
  /** Lines of the input up to there. */
  readonly lines: number
  /** CSV: a broken row was followed up to this place, and so is none that begins before it. */
  readonly doubtEnd: number
  /** What is wrong with it already, or null. */
  readonly fault: 'too_large' | 'broken_quote' | null
}

/** A place between two rows of the (unpacked) input, from where reading can go on. */
export interface Place {
  /** Bytes before it. */
  readonly offset: number
  /** Lines before it. */
  readonly lines: number
  /** Rows before it, empty lines and the header not counted. */
  readonly rows: number
  /** CSV: up to this place (in bytes) line ends inside quotes end a row. */
  readonly doubtEnd: number
}

export const START: Place = { offset: 0, lines: 0, rows: 0, doubtEnd: 0 }
