import { readFileSync } from 'node:fs'
import { unlessGone } from './unless-gone.ts'
import { readWal } from './wal.ts'

/** Looks at a log that seems damaged, at most, and the pause between them in milliseconds. */
const MOST_LOOKS = 5
const PAUSE_MS = 20

/**
 * What is damaged in the log beside a database, or null. A crash leaves at most one transaction half written, at the end;
 * what was acknowledged is known to be complete by the index of the log, which outlives a killed process, and by the
 * transactions that stand behind it. Other processes may write meanwhile, also begin the log anew: only what two looks find
 * at the same place is damage.
 */
export const walDamage = (database: string): string | null => {
  let last = look(database)
  for (let looks = 1; looks < MOST_LOOKS && last !== null; looks++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    const again = look(database)
    if (again?.place === last.place) return again.message
    last = again
  }
  return null
}

interface Finding {
  /** The use of the log, and the frame. */
  readonly place: string
  readonly message: string
}

const look = (database: string): Finding | null => {
  // Before the log: what it says is then in the log when that is read, however much is added meanwhile.
  const index = readIndex(database)
  const wal = readWal(database, 0)
  if (wal === null) return null
  const log = `its write-ahead log (${database}-wal)`
  if (wal.pageBytes === 0) return { place: `head ${wal.salts}`, message: `the head of ${log} is damaged` }
  const committed = index?.salts === wal.salts ? index.committed : 0
  // One may be the half written one, of which the disk took the end before the beginning.
  if (wal.commitsBehind < 2 && committed <= wal.sound) return null
  return {
    place: `${wal.salts} ${wal.sound}`,
    message: `${log} is damaged after frame ${wal.sound} of ${Math.max(wal.frames, committed)}`,
  }
}

/** What the index of a log says (https://www.sqlite.org/walformat.html#the_wal_index_file_format). */
interface WalIndex {
  /** The use of the log that it is of. */
  readonly salts: string
  /** Frames of it that belong to transactions that ended. */
  readonly committed: number
}

/** Null where there is no index, or one that is just being written. */
const readIndex = (database: string): WalIndex | null => {
  const index = unlessGone(() => readFileSync(`${database}-shm`))
  // Two copies of one header, which differ while it is being written.
  if (index === null || index.length < 96 || !index.subarray(0, 48).equals(index.subarray(48, 96))) return null
  const numbers = new Uint32Array(new Uint8Array(index.subarray(0, 48)).buffer)
  return { salts: index.toString('hex', 32, 40), committed: numbers[4]! }
}
