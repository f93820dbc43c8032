import { closeSync, openSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { takeLines } from './lines.ts'
import type { Lines } from './lines.ts'
import type { Stretch } from './segments.ts'

/** How much of a file is wanted. */
export interface Wanted {
  readonly maxEvents: number
  /** Characters. */
  readonly maxLength: number
  /** What an event takes, as far as is known: a good guess spares a second read. */
  readonly eventBytes: number
}

/** Lets a read reach beyond the line that ends it. */
const SPARE_BYTES = 4096

/** How much is read at least to drop from. */
const DROP_READ_BYTES = 16_384

const readAt = promisify(read)

/** Reads lines from the begin of a stretch. Without a line and a byte in the answer, the stretch holds no end of one. */
export const readLines = async (file: string, stretch: Stretch, wanted: Wanted): Promise<Lines> => {
  const { maxEvents, maxLength, eventBytes } = wanted
  // Opened for each run: a path that is there no more tells that the log is lost, and no read ever meets a file closed meanwhile.
  const fd = openSync(file, 'r')
  try {
    for (let size = Math.min(maxEvents * eventBytes * 1.25, maxLength) + SPARE_BYTES; ; size *= 4) {
      const buffer = Buffer.allocUnsafe(Math.ceil(Math.min(size, stretch.bytes)))
      const { bytesRead } = await readAt(fd, buffer, 0, buffer.length, stretch.offset)
      const lines = takeLines(buffer.subarray(0, bytesRead), maxEvents, maxLength)
      if (lines.isFull || size >= stretch.bytes || bytesRead < buffer.length) return lines
    }
  } finally {
    closeSync(fd)
  }
}

/** The same at once, for lines of about `length` bytes together that are to be dropped: at least one, and maybe more than asked for. */
export const readLinesNow = (file: string, stretch: Stretch, length: number): Lines => {
  const fd = openSync(file, 'r')
  try {
    for (let size = Math.max(2 * length, DROP_READ_BYTES); ; size *= 4) {
      const buffer = Buffer.allocUnsafe(Math.min(size, stretch.bytes))
      const bytesRead = readSync(fd, buffer, 0, buffer.length, stretch.offset)
      const lines = takeLines(buffer.subarray(0, bytesRead), Infinity, Infinity)
      if (lines.lines.length || size >= stretch.bytes || bytesRead < buffer.length) return lines
    }
  } finally {
    closeSync(fd)
  }
}
