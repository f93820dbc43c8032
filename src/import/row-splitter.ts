import type { InputPosition, Row } from './row.ts'

export interface RowSplitterOptions {
  /** CSV: a line end inside quotes does not end the row. */
  readonly hasQuotes: boolean
  /** A row with more bytes is `too_large`, and only its beginning is kept. */
  readonly maxRowBytes: number
  /** The position where the first chunk begins. */
  readonly from: Omit<InputPosition, 'rows'>
}

/** Splits chunks of bytes, with any boundaries, into rows. Blank lines are not rows. */
export interface RowSplitter {
  push(chunk: Uint8Array): Row[]
  /** Returns the last rows after the input has ended. */
  end(): Row[]
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

/**
 * Bytes of a row after which a further line end inside quotes means that a quote is missing. A cell with line ends is usually a note or a
 * stack trace, which is shorter.
 */
const MAX_MULTILINE_BYTES = 2 * 1024 * 1024

/** Bytes of a row that is too large that are kept for the rejects file. */
const MAX_KEPT_BYTES = 1000

/** Where the next byte of a CSV row stands: before a cell, in an unquoted or a quoted cell, or after a quote inside a quoted cell. */
type CsvState = 'before_cell' | 'unquoted' | 'quoted' | 'after_quote'

/**
 * Creates a splitter that limits the damage of a broken quote to one line.
 *
 * A CSV cell whose quote is never closed would contain the rest of the input; a cell that continues after its closing quote is broken as
 * well. Such a row ends at its first line end, and splitting continues in the next line.
 */
export const createRowSplitter = ({ hasQuotes, maxRowBytes, from }: RowSplitterOptions): RowSplitter => {
  /** Bytes of the current chunk that were not scanned yet. */
  let rest: Buffer = Buffer.alloc(0)
  /** Scanned bytes of the current row, which is not complete yet. */
  let kept: Buffer[] = []
  let keptBytes = 0
  /** Size of the current row so far, including bytes that were not kept. */
  let rowBytes = 0
  let rowStart = from.offset
  let rowLine = from.lines + 1
  let lineFeedsInside = 0
  let state: CsvState = 'before_cell'
  let fault: Row['fault'] = null
  /** A broken row was scanned up to this offset. Rows before it must not span lines, or each byte would be scanned once per row. */
  let { doubtEnd } = from
  /** Bytes of `rest` that were scanned for the current row. */
  let scannedBytes = 0

  const startRow = (offset: number, line: number): void => {
    kept = []
    keptBytes = rowBytes = lineFeedsInside = 0
    rowStart = offset
    rowLine = line
    state = 'before_cell'
    fault = null
  }

  /** Returns the index of the row's line end within the first `maxBytes` of `rest`, or -1. Stops at a broken quote and sets `fault`. */
  const findLineEnd = (maxBytes: number): number => {
    if (!hasQuotes || fault !== null) return rest.indexOf(LINE_FEED)
    const end = Math.min(rest.length, maxBytes)
    scannedBytes = end
    for (let index = 0; index < end; index++) {
      const byte = rest[index]
      if (state === 'quoted') {
        if (byte === QUOTE) state = 'after_quote'
        else if (byte !== LINE_FEED) continue
        else if (rowStart + rowBytes + index < doubtEnd) {
          fault = 'broken_quote'
          return index
        } else if (rowBytes + index > MAX_MULTILINE_BYTES) {
          fault = 'broken_quote'
          scannedBytes = index
          return lineFeedsInside > 0 ? -1 : index
        } else lineFeedsInside++
      } else if (byte === LINE_FEED) return index
      else if (byte === QUOTE) {
        if (state !== 'unquoted') state = 'quoted'
      } else if (byte === COMMA) state = 'before_cell'
      else if (byte === CARRIAGE_RETURN || isByteOrderMark(rowStart + rowBytes + index, byte)) continue
      else if (state === 'after_quote') {
        fault = 'broken_quote'
        scannedBytes = index
        return lineFeedsInside > 0 ? -1 : rest.indexOf(LINE_FEED)
      } else state = 'unquoted'
    }
    return -1
  }

  const keep = (bytes: Buffer): void => {
    rowBytes += bytes.length
    if (rowBytes > maxRowBytes) {
      fault = 'too_large'
      if (keptBytes > MAX_KEPT_BYTES) {
        kept = [Buffer.from(Buffer.concat(kept).subarray(0, MAX_KEPT_BYTES))]
        keptBytes = MAX_KEPT_BYTES
      }
      if (keptBytes === MAX_KEPT_BYTES) return
      bytes = Buffer.from(bytes.subarray(0, MAX_KEPT_BYTES - keptBytes))
    }
    kept.push(bytes)
    keptBytes += bytes.length
  }

  const endRow = (rows: Row[], lineEndBytes: number): void => {
    const bytes = trimRow(kept.length === 1 ? kept[0]! : Buffer.concat(kept), rowStart)
    const end = rowStart + rowBytes + lineEndBytes
    const lines = rowLine - 1 + lineFeedsInside + lineEndBytes
    if (fault !== null || !isBlank(bytes)) rows.push({ bytes, line: rowLine, lines, end, doubtEnd, fault })
    startRow(end, lines + 1)
  }

  /** Ends a broken row that spans lines at its first line end. All bytes after that are scanned again. */
  const endBrokenRow = (rows: Row[]): void => {
    doubtEnd = rowStart + rowBytes + scannedBytes
    const all = kept.length === 0 ? rest : Buffer.concat([...kept, rest])
    const lineEnd = all.indexOf(LINE_FEED)
    kept = [all.subarray(0, lineEnd)]
    rowBytes = keptBytes = lineEnd
    lineFeedsInside = 0
    fault = 'broken_quote'
    endRow(rows, 1)
    rest = all.subarray(lineEnd + 1)
  }

  /** Scans all of `rest`. */
  const scanRest = (rows: Row[]): void => {
    while (rest.length > 0) {
      const remainingBytes = maxRowBytes - rowBytes + 1
      const lineEnd = findLineEnd(remainingBytes)
      if (lineEnd >= 0) {
        keep(rest.subarray(0, lineEnd))
        rest = rest.subarray(lineEnd + 1)
        endRow(rows, 1)
      } else if (lineFeedsInside > 0 && (fault !== null || rest.length >= remainingBytes)) endBrokenRow(rows)
      else if (hasQuotes && fault === null && rest.length >= remainingBytes) fault = 'too_large'
      else {
        keep(rest)
        rest = rest.subarray(rest.length)
      }
    }
  }

  /** At the end of the input: the row spans lines and its quote was never closed. */
  const isUnclosed = (): boolean => state === 'quoted' && fault === null && lineFeedsInside > 0

  return {
    push(chunk) {
      const rows: Row[] = []
      rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      scanRest(rows)
      return rows
    },
    end() {
      const rows: Row[] = []
      while (isUnclosed()) {
        scannedBytes = 0
        endBrokenRow(rows)
        scanRest(rows)
      }
      if (state === 'quoted') fault ??= 'broken_quote'
      if (rowBytes > 0) endRow(rows, 0)
      return rows
    },
  }
}

const isByteOrderMark = (offset: number, byte: number | undefined): boolean =>
  offset < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK[offset] === byte

/** Removes the byte order mark of the first row, and the carriage return of a Windows line end. */
const trimRow = (bytes: Buffer, offset: number): Buffer => {
  const start = offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  return bytes.subarray(start, bytes.at(-1) === CARRIAGE_RETURN ? -1 : undefined)
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
