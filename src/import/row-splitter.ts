import type { InputPosition, Row } from './row.ts'

export interface RowSplitterOptions {
  /** CSV: a line end inside quotes does not end the row. */
  readonly hasQuotes: boolean
  /** A row with more bytes is `too_large`, and only its beginning is kept. */
  readonly maxRowBytes: number
  /** The position where the first chunk begins. */
  readonly startPosition: Omit<InputPosition, 'rows'>
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

/** Of a row that is too large, this many bytes are kept for the rejects file. */
const MAX_KEPT_BYTES = 1000

/** Where the scanner is in a CSV row: before a cell, in an unquoted or a quoted cell, or after a quote inside a quoted cell. */
type CsvState = 'before_cell' | 'unquoted' | 'quoted' | 'after_quote'

/**
 * Creates a splitter that limits the damage of a broken quote to one line.
 *
 * A CSV cell whose quote is never closed would contain the rest of the input; a cell that continues after its closing quote is broken as
 * well. Such a row ends at its first line end, and splitting continues in the next line.
 */
export const createRowSplitter = ({ hasQuotes, maxRowBytes, startPosition }: RowSplitterOptions): RowSplitter => {
  /** Bytes of the current chunk that were not scanned yet. */
  let unscanned: Buffer = Buffer.alloc(0)
  /** Scanned bytes of the current row, whose end was not found yet. */
  let rowParts: Buffer[] = []
  let keptBytes = 0
  /** Size of the current row so far, including bytes that were not kept. */
  let rowBytes = 0
  let rowStart = startPosition.offset
  let rowLine = startPosition.lines + 1
  let quotedLineFeeds = 0
  let state: CsvState = 'before_cell'
  let fault: Row['fault'] = null
  /** A broken row was scanned up to this offset. Rows before it must not span lines: otherwise each row would scan these bytes again. */
  let { doubtEnd } = startPosition
  /** Bytes of `unscanned` that were scanned for the current row. */
  let scannedBytes = 0

  const startRow = (offset: number, line: number): void => {
    rowParts = []
    keptBytes = rowBytes = quotedLineFeeds = 0
    rowStart = offset
    rowLine = line
    state = 'before_cell'
    fault = null
  }

  /** Returns the index of the row's line end within the first `maxBytes` of `unscanned`, or -1. Stops at a broken quote and sets `fault`. */
  const findLineEnd = (maxBytes: number): number => {
    if (!hasQuotes || fault !== null) return unscanned.indexOf(LINE_FEED)
    const end = Math.min(unscanned.length, maxBytes)
    scannedBytes = end
    for (let index = 0; index < end; index++) {
      const byte = unscanned[index]
      if (state === 'quoted') {
        if (byte === QUOTE) state = 'after_quote'
        else if (byte !== LINE_FEED) continue
        else if (rowStart + rowBytes + index < doubtEnd) {
          fault = 'broken_quote'
          return index
        } else if (rowBytes + index > MAX_MULTILINE_BYTES) {
          fault = 'broken_quote'
          scannedBytes = index
          return quotedLineFeeds > 0 ? -1 : index
        } else quotedLineFeeds++
      } else if (byte === LINE_FEED) return index
      else if (byte === QUOTE) {
        if (state !== 'unquoted') state = 'quoted'
      } else if (byte === COMMA) state = 'before_cell'
      else if (byte === CARRIAGE_RETURN || isByteOrderMark(rowStart + rowBytes + index, byte)) continue
      else if (state === 'after_quote') {
        fault = 'broken_quote'
        scannedBytes = index
        return quotedLineFeeds > 0 ? -1 : unscanned.indexOf(LINE_FEED)
      } else state = 'unquoted'
    }
    return -1
  }

  const appendToRow = (bytes: Buffer): void => {
    rowBytes += bytes.length
    if (rowBytes > maxRowBytes) {
      fault = 'too_large'
      if (keptBytes > MAX_KEPT_BYTES) {
        rowParts = [Buffer.from(Buffer.concat(rowParts).subarray(0, MAX_KEPT_BYTES))]
        keptBytes = MAX_KEPT_BYTES
      }
      if (keptBytes === MAX_KEPT_BYTES) return
      bytes = Buffer.from(bytes.subarray(0, MAX_KEPT_BYTES - keptBytes))
    }
    rowParts.push(bytes)
    keptBytes += bytes.length
  }

  const endRow = (rows: Row[], lineEndBytes: number): void => {
    const bytes = trimRow(rowParts.length === 1 ? rowParts[0]! : Buffer.concat(rowParts), rowStart)
    const endOffset = rowStart + rowBytes + lineEndBytes
    const lineCount = rowLine - 1 + quotedLineFeeds + lineEndBytes
    if (fault !== null || !isBlank(bytes)) rows.push({ bytes, line: rowLine, lineCount, endOffset, doubtEnd, fault })
    startRow(endOffset, lineCount + 1)
  }

  /** Ends a broken row that spans lines at its first line end. All bytes after that are scanned again. */
  const endBrokenRow = (rows: Row[]): void => {
    doubtEnd = rowStart + rowBytes + scannedBytes
    const rowBuffer = rowParts.length === 0 ? unscanned : Buffer.concat([...rowParts, unscanned])
    const lineEnd = rowBuffer.indexOf(LINE_FEED)
    rowParts = [rowBuffer.subarray(0, lineEnd)]
    rowBytes = keptBytes = lineEnd
    quotedLineFeeds = 0
    fault = 'broken_quote'
    endRow(rows, 1)
    unscanned = rowBuffer.subarray(lineEnd + 1)
  }

  /** Scans the current chunk to its end. */
  const scanChunk = (rows: Row[]): void => {
    while (unscanned.length > 0) {
      const remainingBytes = maxRowBytes - rowBytes + 1
      const lineEnd = findLineEnd(remainingBytes)
      if (lineEnd >= 0) {
        appendToRow(unscanned.subarray(0, lineEnd))
        unscanned = unscanned.subarray(lineEnd + 1)
        endRow(rows, 1)
      } else if (quotedLineFeeds > 0 && (fault !== null || unscanned.length >= remainingBytes)) endBrokenRow(rows)
      else if (hasQuotes && fault === null && unscanned.length >= remainingBytes) fault = 'too_large'
      else {
        appendToRow(unscanned)
        unscanned = unscanned.subarray(unscanned.length)
      }
    }
  }

  /** At the end of the input: the row spans lines and its quote was never closed. */
  const isUnclosed = (): boolean => state === 'quoted' && fault === null && quotedLineFeeds > 0

  return {
    push(chunk) {
      const rows: Row[] = []
      unscanned = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      scanChunk(rows)
      return rows
    },
    end() {
      const rows: Row[] = []
      while (isUnclosed()) {
        scannedBytes = 0
        endBrokenRow(rows)
        scanChunk(rows)
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
