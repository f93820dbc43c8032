import { readFileSync } from 'node:fs'
import { nullIfMissing } from '../../null-if-missing.ts'
import { readWal } from './read-wal.ts'

/** Maximum number of inspections of a log that seems damaged: a concurrent write can look like damage. */
const MAX_INSPECTIONS = 5

/** Pause between two inspections, so that a concurrent write can finish. */
const PAUSE_MS = 20

/**
 * Describes the damage in the write-ahead log beside a database; null if the log is intact.
 *
 * A crash leaves at most one partly written transaction, at the end of the log. Earlier transactions are known to be complete
 * from the index of the log, which survives a killed process, and from the transactions after them. Other processes may write
 * to the log meanwhile or restart it, so damage must be found at the same place twice.
 */
export const findWalDamage = (database: string): string | null => {
  let lastFinding = inspectWal(database)
  for (let inspections = 1; inspections < MAX_INSPECTIONS && lastFinding !== null; inspections++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    const finding = inspectWal(database)
    if (finding?.place === lastFinding.place) return finding.message
    lastFinding = finding
  }
  return null
}

/** Damage that one inspection found. */
interface Finding {
  /** The salts of the log, and where in it the damage begins. */
  readonly place: string
  readonly message: string
}

const inspectWal = (database: string): Finding | null => {
  // The index is read first: the log read after it has at least the frames that the index names.
  const index = readIndex(database)
  const wal = readWal(database, 0)
  if (wal === null) return null
  const logDescription = `its write-ahead log (${database}-wal)`
  if (wal.pageBytes === 0)
    return { place: `header ${wal.salts}`, message: `the header of ${logDescription} is damaged` }
  const committedFrames = index?.salts === wal.salts ? index.committedFrames : 0
  // One later commit can belong to the partly written transaction: the disk may write its end before its beginning.
  if (wal.commitsAfter < 2 && committedFrames <= wal.validFrames) return null
  return {
    place: `${wal.salts} ${wal.validFrames}`,
    message: `${logDescription} is damaged after frame ${wal.validFrames} of ${Math.max(wal.frames, committedFrames)}`,
  }
}

/** The fields used here of the index of a log, the `-shm` file (https://www.sqlite.org/walformat.html#the_wal_index_file_format). */
interface WalIndex {
  /** Salts of the log it belongs to. */
  readonly salts: string
  /** Number of frames that belong to committed transactions. */
  readonly committedFrames: number
}

/** Null if there is no index, or if it is being written. */
const readIndex = (database: string): WalIndex | null => {
  const index = nullIfMissing(() => readFileSync(`${database}-shm`))
  // The header is stored twice; the copies differ while it is written.
  if (index === null || index.length < 96 || !index.subarray(0, 48).equals(index.subarray(48, 96))) return null
  const headerWords = new Uint32Array(new Uint8Array(index.subarray(0, 48)).buffer)
  return { salts: index.toString('hex', 32, 40), committedFrames: headerWords[4]! }
}
