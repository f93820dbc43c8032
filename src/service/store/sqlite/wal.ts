import { existsSync, readFileSync } from 'node:fs'

/** A write-ahead log as SQLite writes it (https://www.sqlite.org/walformat.html). */
export interface Wal {
  readonly pageBytes: number
  /** Every frame of the log's present use, in order, whether its checksum holds or not. */
  readonly frames: readonly WalFrame[]
  /** Frames before the first whose checksum does not hold: what SQLite reads. 0 when the head of the log is damaged. */
  readonly sound: number
}

/** One page as a transaction wrote it. */
export interface WalFrame {
  readonly page: number
  /** Whether it is a transaction's last. */
  readonly isCommit: boolean
  readonly bytes: Buffer
}

const HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
/** The magic number but for its last bit, which says that checksums are taken of big-endian words. */
const MAGIC = 0x377f0682

/** Reads the log beside a database; null when there is none. A head that is damaged is taken to be `pageBytes` large in pages. */
export const readWal = (database: string, pageBytes: number): Wal | null => {
  const path = `${database}-wal`
  if (!existsSync(path)) return null
  const log = readFileSync(path)
  if (log.length < HEAD_BYTES + FRAME_HEAD_BYTES) return null
  const magic = log.readUInt32BE(0)
  const isBigEndian = (magic & 1) === 1
  const head = checksum(log.subarray(0, 24), [0, 0], isBigEndian)
  const isHeadSound = (magic & ~1) === MAGIC && head[0] === log.readUInt32BE(24) && head[1] === log.readUInt32BE(28)
  const size = isHeadSound ? log.readUInt32BE(8) : pageBytes
  // Frames of an earlier use of the log stand behind, under other salts.
  const salts = isHeadSound ? log.subarray(16, 24) : log.subarray(HEAD_BYTES + 8, HEAD_BYTES + 16)
  const frames: WalFrame[] = []
  let sound = 0
  let running: Checksum = isHeadSound ? head : [0, 0]
  let isSound = isHeadSound
  for (let at = HEAD_BYTES; at + FRAME_HEAD_BYTES + size <= log.length; at += FRAME_HEAD_BYTES + size) {
    const frame = log.subarray(at, at + FRAME_HEAD_BYTES)
    const bytes = log.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + size)
    const isOwn = frame.subarray(8, 16).equals(salts)
    if (isSound) {
      running = checksum(bytes, checksum(frame.subarray(0, 8), running, isBigEndian), isBigEndian)
      isSound = isOwn && running[0] === frame.readUInt32BE(16) && running[1] === frame.readUInt32BE(20)
      if (isSound) sound += 1
    }
    if (isOwn) frames.push({ page: frame.readUInt32BE(0), isCommit: frame.readUInt32BE(4) !== 0, bytes })
  }
  return { pageBytes: size, frames, sound: isHeadSound ? sound : 0 }
}

/**
 * What is damaged in the log beside a database, or null. A crash leaves at most one transaction half written, at the end;
 * what was acknowledged is known to be complete by the index of the log, which outlives a killed process, and by the
 * transactions that stand behind it.
 */
export const walDamage = (database: string): string | null => {
  const wal = readWal(database, 0)
  if (wal === null) return null
  const committed = committedFrames(database)
  if (wal.pageBytes === 0) return `the head of its write-ahead log (${database}-wal) is damaged`
  const behind = wal.frames.slice(wal.sound).filter(({ isCommit }) => isCommit).length
  // One may be the half written one, of which the disk took the end before the beginning.
  if (behind < 2 && (committed === null || committed <= wal.sound)) return null
  return `its write-ahead log (${database}-wal) is damaged after frame ${wal.sound} of ${Math.max(wal.frames.length, committed ?? 0)}`
}

/** Frames that the index of the log counts as committed; null where it is not there or of another use of the log. */
const committedFrames = (database: string): number | null => {
  const path = `${database}-shm`
  if (!existsSync(path)) return null
  const index = readFileSync(path)
  const salts = readFileSync(`${database}-wal`).subarray(16, 24)
  // Two copies of one header, which differ while it is being written.
  if (index.length < 96 || !index.subarray(0, 48).equals(index.subarray(48, 96))) return null
  return index.subarray(32, 40).equals(salts) ? readNativeUInt32(index, 16) : null
}

const readNativeUInt32 = (bytes: Buffer, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, IS_LITTLE)

const IS_LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

type Checksum = readonly [number, number]

/** SQLite's running checksum, over pairs of words. */
const checksum = (bytes: Uint8Array, [from0, from1]: Checksum, isBigEndian: boolean): Checksum => {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let s0 = from0
  let s1 = from1
  for (let at = 0; at + 8 <= bytes.byteLength; at += 8) {
    s0 = (s0 + words.getUint32(at, !isBigEndian) + s1) >>> 0
    s1 = (s1 + words.getUint32(at + 4, !isBigEndian) + s0) >>> 0
  }
  return [s0, s1]
}
