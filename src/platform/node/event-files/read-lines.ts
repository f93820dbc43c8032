import { closeSync, openSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { parseLines } from './event-lines.ts'
import type { ParsedLines } from './event-lines.ts'
import type { SegmentRange } from './segments.ts'

export interface ReadLimits {
  readonly maxEvents: number
  /** Characters. */
  readonly maxLength: number
  /** Estimated bytes per event; a good estimate avoids a second read. */
  readonly eventBytes: number
}

/** Added to the estimate, so that the read usually includes the line that exceeds the limit. */
const EXTRA_READ_BYTES = 4096

/** Smallest read when events are dropped. */
const MIN_DROP_READ_BYTES = 16_384

const readAt = promisify(read)

/** Reads lines from the start of a range. A result with no line and no bytes means that the range holds no complete line. */
export const readLines = async (file: string, range: SegmentRange, limits: ReadLimits): Promise<ParsedLines> => {
  const { maxEvents, maxLength, eventBytes } = limits
  // Opens the file for each batch: a missing path shows that the log is lost, and no read can meet a file that was closed meanwhile.
  const fd = openSync(file, 'r')
  try {
    for (let size = Math.min(maxEvents * eventBytes * 1.25, maxLength) + EXTRA_READ_BYTES; ; size *= 4) {
      const buffer = Buffer.allocUnsafe(Math.ceil(Math.min(size, range.bytes)))
      const { bytesRead } = await readAt(fd, buffer, 0, buffer.length, range.offset)
      const parsed = parseLines(buffer.subarray(0, bytesRead), maxEvents, maxLength)
      if (parsed.hasReachedLimit || size >= range.bytes || bytesRead < buffer.length) return parsed
    }
  } finally {
    closeSync(fd)
  }
}

/** Reads about `length` bytes of lines synchronously, to drop them: at least one line, and possibly more than `length`. */
export const readLinesSync = (file: string, range: SegmentRange, length: number): ParsedLines => {
  const fd = openSync(file, 'r')
  try {
    for (let size = Math.max(2 * length, MIN_DROP_READ_BYTES); ; size *= 4) {
      const buffer = Buffer.allocUnsafe(Math.min(size, range.bytes))
      const bytesRead = readSync(fd, buffer, 0, buffer.length, range.offset)
      const parsed = parseLines(buffer.subarray(0, bytesRead), Infinity, Infinity)
      if (parsed.lines.length || size >= range.bytes || bytesRead < buffer.length) return parsed
    }
  } finally {
    closeSync(fd)
  }
}
