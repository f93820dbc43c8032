import { closeSync, openSync, readSync } from 'node:fs'
import { noop } from '../../noop.ts'
import { nullIfMissing } from '../../null-if-missing.ts'

/** A write-ahead log of SQLite (https://www.sqlite.org/walformat.html). */
export interface Wal {
  /** Page size in bytes; 0 if the header is damaged and the caller passed no size. */
  readonly pageBytes: number
  /** Random numbers that change each time SQLite restarts the log from its beginning. */
  readonly salts: string
  /** Number of frames with the current salts, with or without a valid checksum. */
  readonly frames: number
  /** Number of frames before the first invalid checksum, which are those that SQLite reads. 0 if the header is damaged. */
  readonly validFrames: number
  /** Number of transactions whose last frame comes after the valid frames. */
  readonly commitsAfter: number
}

/** One page as a transaction wrote it. */
export interface WalFrame {
  /** Number of the page in the database, from 1. */
  readonly page: number
  /** Whether it is the last frame of a transaction. */
  readonly isCommit: boolean
  /** Offset of the page in the log, in bytes. */
  readonly offset: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The magic number without its last bit, which says that checksums use big-endian words. */
const MAGIC = 0x377f0682
/** Size of the read buffer. The log is read in parts, because it may be larger than memory. */
const BUFFER_BYTES = 4 * 1024 * 1024

/**
 * Reads the whole log beside a database; null if there is no log.
 *
 * @param pageBytes page size to assume when the header is damaged; 0 for unknown.
 * @param onFrame called for each frame with the current salts, in order.
 */
export const readWal = (database: string, pageBytes: number, onFrame: (frame: WalFrame) => void = noop): Wal | null => {
  const logFile = nullIfMissing(() => openSync(`${database}-wal`, 'r'))
  if (logFile === null) return null
  try {
    const header = Buffer.alloc(HEADER_BYTES + FRAME_HEADER_BYTES)
    if (fillFromFile(logFile, header, 0) < header.length) return null
    return readFrames(logFile, header, pageBytes, onFrame)
  } finally {
    closeSync(logFile)
  }
}

/** @param header the header of the log, followed by the header of its first frame. */
const readFrames = (logFile: number, header: Buffer, pageBytes: number, onFrame: (frame: WalFrame) => void): Wal => {
  const magic = header.readUInt32BE(0)
  const isNativeOrder = ((magic & 1) === 1) !== IS_LITTLE_ENDIAN
  const headerSum = addChecksum(toWords(header, isNativeOrder), 0, 6, [0, 0])
  const storedPageBytes = header.readUInt32BE(8)
  const isHeaderValid =
    (magic & ~1) === MAGIC &&
    isPageSize(storedPageBytes) &&
    headerSum[0] === header.readInt32BE(24) &&
    headerSum[1] === header.readInt32BE(28)
  const frameBytes = FRAME_HEADER_BYTES + (isHeaderValid ? storedPageBytes : pageBytes)
  // Frames from before the last restart follow the current ones; they have other salts.
  const saltsOffset = isHeaderValid ? 16 : HEADER_BYTES + 8
  const [salt1, salt2] = [header.readInt32BE(saltsOffset), header.readInt32BE(saltsOffset + 4)]
  const salts = header.toString('hex', saltsOffset, saltsOffset + 8)
  const wal = { pageBytes: frameBytes - FRAME_HEADER_BYTES, salts, frames: 0, validFrames: 0, commitsAfter: 0 }
  if (wal.pageBytes === 0) return wal

  const buffer = Buffer.alloc(frameBytes * Math.max(1, Math.floor(BUFFER_BYTES / frameBytes)))
  let checksum = headerSum
  let isValid = isHeaderValid
  let bufferPosition = HEADER_BYTES
  for (
    let bytesRead = fillFromFile(logFile, buffer, bufferPosition);
    bytesRead >= frameBytes;
    bytesRead = fillFromFile(logFile, buffer, bufferPosition)
  ) {
    const words = toWords(buffer, isNativeOrder)
    const completeBytes = bytesRead - (bytesRead % frameBytes)
    for (let offset = 0; offset < completeBytes; offset += frameBytes) {
      const isCurrent = buffer.readInt32BE(offset + 8) === salt1 && buffer.readInt32BE(offset + 12) === salt2
      if (isValid) {
        checksum = addChecksum(words, offset / 4, 2, checksum)
        checksum = addChecksum(words, (offset + FRAME_HEADER_BYTES) / 4, wal.pageBytes / 4, checksum)
        isValid =
          isCurrent &&
          checksum[0] === buffer.readInt32BE(offset + 16) &&
          checksum[1] === buffer.readInt32BE(offset + 20)
        if (isValid) wal.validFrames += 1
      }
      if (!isCurrent) continue
      const isCommit = buffer.readUInt32BE(offset + 4) !== 0
      wal.frames += 1
      if (isCommit && !isValid) wal.commitsAfter += 1
      onFrame({ page: buffer.readUInt32BE(offset), isCommit, offset: bufferPosition + offset + FRAME_HEADER_BYTES })
    }
    bufferPosition += completeBytes
  }
  return wal
}

/** Fills a buffer from a position in a file; returns the number of bytes read. */
const fillFromFile = (file: number, buffer: Buffer, position: number): number => {
  let filledBytes = 0
  for (;;) {
    const bytesRead = readSync(file, buffer, filledBytes, buffer.length - filledBytes, position + filledBytes)
    filledBytes += bytesRead
    if (bytesRead === 0 || filledBytes === buffer.length) return filledBytes
  }
}

const isPageSize = (size: number): boolean => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** The 32-bit words over which checksums are computed. */
const toWords = (bytes: Buffer, isNativeOrder: boolean): Int32Array => {
  // A copy is aligned to words, and its byte order can be swapped.
  const aligned = isNativeOrder && bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
  if (!isNativeOrder) aligned.swap32()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2)
}

type Checksum = readonly [number, number]

/** SQLite's running checksum over pairs of words. */
const addChecksum = (words: Int32Array, start: number, count: number, [start0, start1]: Checksum): Checksum => {
  let s0 = start0
  let s1 = start1
  for (let index = start; index + 1 < start + count; index += 2) {
    s0 = (s0 + words[index]! + s1) | 0
    s1 = (s1 + words[index + 1]! + s0) | 0
  }
  return [s0, s1]
}
