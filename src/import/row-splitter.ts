import type { Place, Row } from './row.ts'

/** How an input is cut into rows. */
export interface SplitOptions {
  /** CSV: a line end inside quotes ends no row. */
  readonly hasQuotes: boolean
  /** A row with more bytes is `too_large`, and only its beginning is kept. */
  readonly maxRowBytes: number
  /** Where the first chunk begins. */
  readonly from: Omit<Place, 'rows'>
}

/** Cuts chunks of bytes, wherever they begin and end, into rows. Lines that are blank are no rows. */
export interface RowSplitter {
  push(chunk: Uint8Array): Row[]
  /** The input has ended: what is left is the last row. */
  end(): Row[]
}

const LINE_FEED = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

/** A cell with line ends in it is a note or a stack trace: behind so many bytes a further line end rather tells that a quote is missing. */
const MOST_FOLLOWED_BYTES = 2 * 1024 * 1024

/** How much of a row that is too large is kept, to be shown. */
const KEPT_BYTES = 1000

/** Where in a CSV row the next byte stands: before a cell, in a bare one, in a quoted one, after a quote inside a quoted one. */
type CsvState = 'before' | 'bare' | 'quoted' | 'closed'

/**
 * A CSV cell whose quote is never closed would swallow all that follows, and one that goes on after its quote is as broken: such a
 * row ends at its first line end, and reading goes on in the next line. So a stray quote costs one line, not the rest of the input.
 */
export const createRowSplitter = ({ hasQuotes, maxRowBytes, from }: SplitOptions): RowSplitter => {
  /** Not yet looked at. */
  let rest: Buffer = Buffer.alloc(0)
  /** What was looked at of the row that is not yet complete. */
  let kept: Buffer[] = []
  let keptBytes = 0
  /** Of that row, kept or not. */
  let rowBytes = 0
  let rowStart = from.offset
  let rowLine = from.lines + 1
  let lineFeedsInside = 0
  let state: CsvState = 'before'
  let fault: Row['fault'] = null
  /** A broken row was followed up to here: no other one is across its lines, or each byte would be looked at again and again. */
  let { doubtEnd } = from
  /** How much of `rest` the row was followed through. */
  let followed = 0

  const begin = (offset: number, line: number): void => {
    kept = []
    keptBytes = rowBytes = lineFeedsInside = 0
    rowStart = offset
    rowLine = line
    state = 'before'
    fault = null
  }

  /** Looks at most at `most` bytes. Answers where the row's line end is, or -1; a broken quote stops it, which `fault` then tells. */
  const findEnd = (most: number): number => {
    if (!hasQuotes || fault !== null) return rest.indexOf(LINE_FEED)
    const to = Math.min(rest.length, most)
    followed = to
    for (let at = 0; at < to; at++) {
      const byte = rest[at]
      if (state === 'quoted') {
        if (byte === QUOTE) state = 'closed'
        else if (byte !== LINE_FEED) continue
        else if (rowStart + rowBytes + at < doubtEnd) {
          fault = 'broken_quote'
          return at
        } else if (rowBytes + at > MOST_FOLLOWED_BYTES) {
          fault = 'broken_quote'
          followed = at
          return lineFeedsInside > 0 ? -1 : at
        } else lineFeedsInside++
      } else if (byte === LINE_FEED) return at
      else if (byte === QUOTE) {
        if (state !== 'bare') state = 'quoted'
      } else if (byte === COMMA) state = 'before'
      else if (byte === RETURN || isMark(rowStart + rowBytes + at, byte)) continue
      else if (state === 'closed') {
        fault = 'broken_quote'
        followed = at
        return lineFeedsInside > 0 ? -1 : rest.indexOf(LINE_FEED)
      } else state = 'bare'
    }
    return -1
  }

  const keep = (bytes: Buffer): void => {
    rowBytes += bytes.length
    if (rowBytes > maxRowBytes) {
      fault = 'too_large'
      if (keptBytes > KEPT_BYTES) {
        kept = [Buffer.from(Buffer.concat(kept).subarray(0, KEPT_BYTES))]
        keptBytes = KEPT_BYTES
      }
      if (keptBytes === KEPT_BYTES) return
      bytes = Buffer.from(bytes.subarray(0, KEPT_BYTES - keptBytes))
    }
    kept.push(bytes)
    keptBytes += bytes.length
  }

  const finish = (rows: Row[], lineEndBytes: number): void => {
    const bytes = trimmed(kept.length === 1 ? kept[0]! : Buffer.concat(kept), rowStart)
    const end = rowStart + rowBytes + lineEndBytes
    const lines = rowLine - 1 + lineFeedsInside + lineEndBytes
    if (fault !== null || !isBlank(bytes)) rows.push({ bytes, line: rowLine, lines, end, doubtEnd, fault })
    begin(end, lines + 1)
  }

  /** The row is broken, and there is a line end in it: it ends there, and all behind it is looked at anew. */
  const breakUp = (rows: Row[]): void => {
    doubtEnd = rowStart + rowBytes + followed
    const whole = kept.length === 0 ? rest : Buffer.concat([...kept, rest])
    const at = whole.indexOf(LINE_FEED)
    kept = [whole.subarray(0, at)]
    rowBytes = keptBytes = at
    lineFeedsInside = 0
    fault = 'broken_quote'
    finish(rows, 1)
    rest = whole.subarray(at + 1)
  }

  /** Looks at all of `rest`. */
  const take = (rows: Row[]): void => {
    while (rest.length > 0) {
      const room = maxRowBytes - rowBytes + 1
      const at = findEnd(room)
      if (at >= 0) {
        keep(rest.subarray(0, at))
        rest = rest.subarray(at + 1)
        finish(rows, 1)
      } else if (lineFeedsInside > 0 && (fault !== null || rest.length >= room)) breakUp(rows)
      else if (hasQuotes && fault === null && rest.length >= room) fault = 'too_large'
      else {
        keep(rest)
        rest = rest.subarray(rest.length)
      }
    }
  }

  /** At the end of the input: a quote was never closed, in a row of several lines. */
  const isUnclosed = (): boolean => state === 'quoted' && fault === null && lineFeedsInside > 0

  return {
    push(chunk) {
      const rows: Row[] = []
      rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      take(rows)
      return rows
    },
    end() {
      const rows: Row[] = []
      while (isUnclosed()) {
        followed = 0
        breakUp(rows)
        take(rows)
      }
      if (state === 'quoted') fault ??= 'broken_quote'
      if (rowBytes > 0) finish(rows, 0)
      return rows
    },
  }
}

const isMark = (offset: number, byte: number | undefined): boolean =>
  offset < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK[offset] === byte

/** Without the byte order mark of the first row, and without the first half of a line end of Windows. */
const trimmed = (bytes: Buffer, offset: number): Buffer => {
  const from = offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  return bytes.subarray(from, bytes.at(-1) === RETURN ? -1 : undefined)
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))
