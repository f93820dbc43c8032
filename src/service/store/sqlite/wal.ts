import { closeSync, openSync, readSync } from 'node:fs'
import { unlessGone } from './unless-gone.ts'

/** A write-ahead log as SQLite writes it (https://www.sqlite.org/walformat.html). */
export interface Wal {
  /** Size of a page; 0 where the head of the log is damaged and no size was given. */
  readonly pageBytes: number
  /** Tells one use of the log from the next. */
  readonly salts: string
  /** Frames of the log's present use, whether their checksums hold or not. */
  readonly frames: number
  /** Frames before the first whose checksum does not hold: what SQLite reads. 0 when the head of the log is damaged. */
  readonly sound: number
  /** Transactions that end behind those frames. */
  readonly commitsBehind: number
}

/** One page as a transaction wrote it. */
export interface WalFrame {
  readonly page: number
  /** Whether it is a transaction's last. */
  readonly isCommit: boolean
  /** Where the page begins in the log. */
  readonly at: number
}

const HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
/** The magic number but for its last bit, which says that checksums are taken of big-endian words. */
const MAGIC = 0x377f0682
/** Bytes of a log that are held at once: a log may be larger than memory. */
const PIECE_BYTES = 4 * 1024 * 1024

/**
 * Reads the log beside a database through; null when there is none. A head that is damaged is taken to be `pageBytes` large
 * in pages.
 *
 * @param onFrame Told of every frame of the log's present use, in order.
 */
export const readWal = (
  database: string,
  pageBytes: number,
  onFrame: (frame: WalFrame) => void = () => undefined,
): Wal | null => {
  const log = unlessGone(() => openSync(`${database}-wal`, 'r'))
  if (log === null) return null
  try {
    const head = Buffer.alloc(HEAD_BYTES + FRAME_HEAD_BYTES)
    if (readAt(log, head, 0) < head.length) return null
    return readFrames(log, head, pageBytes, onFrame)
  } finally {
    closeSync(log)
  }
}

const readFrames = (log: number, head: Buffer, pageBytes: number, onFrame: (frame: WalFrame) => void): Wal => {
  const magic = head.readUInt32BE(0)
  const isNative = ((magic & 1) === 1) !== IS_LITTLE
  const sum = sumWords(wordsOf(head, isNative), 0, 6, [0, 0])
  const size = head.readUInt32BE(8)
  const isHeadSound =
    (magic & ~1) === MAGIC && isPageSize(size) && sum[0] === head.readInt32BE(24) && sum[1] === head.readInt32BE(28)
  const frameBytes = FRAME_HEAD_BYTES + (isHeadSound ? size : pageBytes)
  // Frames of an earlier use of the log stand behind, under other salts.
  const saltsAt = isHeadSound ? 16 : HEAD_BYTES + 8
  const [salt1, salt2] = [head.readInt32BE(saltsAt), head.readInt32BE(saltsAt + 4)]
  const salts = head.toString('hex', saltsAt, saltsAt + 8)
  const wal = { pageBytes: frameBytes - FRAME_HEAD_BYTES, salts, frames: 0, sound: 0, commitsBehind: 0 }
  if (wal.pageBytes === 0) return wal

  const piece = Buffer.alloc(frameBytes * Math.max(1, Math.floor(PIECE_BYTES / frameBytes)))
  let running = sum
  let isSound = isHeadSound
  let from = HEAD_BYTES
  for (let read = readAt(log, piece, from); read >= frameBytes; read = readAt(log, piece, from)) {
    const words = wordsOf(piece, isNative)
    const whole = read - (read % frameBytes)
    for (let at = 0; at < whole; at += frameBytes) {
      const isOwn = piece.readInt32BE(at + 8) === salt1 && piece.readInt32BE(at + 12) === salt2
      if (isSound) {
        running = sumWords(words, at / 4, 2, running)
        running = sumWords(words, (at + FRAME_HEAD_BYTES) / 4, wal.pageBytes / 4, running)
        isSound = isOwn && running[0] === piece.readInt32BE(at + 16) && running[1] === piece.readInt32BE(at + 20)
        if (isSound) wal.sound += 1
      }
      if (!isOwn) continue
      const isCommit = piece.readUInt32BE(at + 4) !== 0
      wal.frames += 1
      if (isCommit && !isSound) wal.commitsBehind += 1
      onFrame({ page: piece.readUInt32BE(at), isCommit, at: from + at + FRAME_HEAD_BYTES })
    }
    from += whole
  }
  return wal
}

/** Fills a buffer from a place in a file; answers how many bytes there were. */
const readAt = (file: number, into: Buffer, from: number): number => {
  let filled = 0
  for (;;) {
    const read = readSync(file, into, filled, into.length - filled, from + filled)
    filled += read
    if (read === 0 || filled === into.length) return filled
  }
}

const isPageSize = (size: number): boolean => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0

const IS_LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** The words of which checksums are taken. */
const wordsOf = (bytes: Buffer, isNative: boolean): Int32Array => {
  // A copy begins at a whole word, and may be turned around.
  const copy = isNative && bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
  if (!isNative) copy.swap32()
  return new Int32Array(copy.buffer, copy.byteOffset, copy.length >> 2)
}

type Checksum = readonly [number, number]

/** SQLite's running checksum, over pairs of words. */
const sumWords = (words: Int32Array, from: number, count: number, [from0, from1]: Checksum): Checksum => {
  let s0 = from0
  let s1 = from1
  for (let at = from; at + 1 < from + count; at += 2) {
    s0 = (s0 + words[at]! + s1) | 0
    s1 = (s1 + words[at + 1]! + s0) | 0
  }
  return [s0, s1]
}
