import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { ProcessingAttempt, WorkRecord } from './poison-policy.ts'

/** A `WorkRecord` in a file. The next indexer process reads there what the previous process was doing when it died. */
export interface WorkRecordFile {
  /** The last record of the previous process. */
  readonly previousRecord: WorkRecord
  write(record: WorkRecord): void
  close(): void
}

/** The JSON in the file. Its keys may not change, because a service of another version reads the file too. */
interface StoredRecord {
  /** `WorkRecord.currentProjectId` */
  readonly working: number | null
  /** `WorkRecord.attempts` */
  readonly suspicions: readonly StoredAttempt[]
}

/** A `ProcessingAttempt` in the JSON. */
interface StoredAttempt {
  readonly projectId: number
  /** `storePosition` */
  readonly place: string
  /** `lastRowId` */
  readonly lastRow: number
  /** `processSinglyThroughRowId` */
  readonly aloneThrough: number
  /** `crashCount` */
  readonly crashes: number
  /** `killCount` */
  readonly kills: number
}

/** Size of the file. A write of one page is atomic and, after the first, needs no further disk space. */
const PAGE_BYTES = 4096

const EMPTY_RECORD: WorkRecord = { currentProjectId: null, attempts: [] }

/**
 * Opens the file, or creates it. Writes are not synced: the record must survive the process, not the machine. Disk errors
 * are ignored, because storing the rows matters more than the record.
 */
export const openWorkRecord = (path: string): WorkRecordFile => {
  const previousRecord = readRecord(path)
  let file: number | null
  try {
    file = openSync(path, 'r+')
  } catch {
    file = createFile(path)
  }
  return {
    previousRecord,
    write(record) {
      if (file === null) return
      try {
        writeSync(file, toPage(record), 0, PAGE_BYTES, 0)
      } catch {
        // The older record stays. At worst, one death is not counted.
      }
    },
    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

const createFile = (path: string): number | null => {
  try {
    return openSync(path, 'w+', 0o600)
  } catch {
    return null
  }
}

/** Reads the record; an empty one if the file is missing or does not contain a record. */
const readRecord = (path: string): WorkRecord => {
  try {
    const { working, suspicions }: StoredRecord = JSON.parse(readFileSync(path, 'utf8'))
    return { currentProjectId: working, attempts: suspicions.map(fromStoredAttempt) }
  } catch {
    return EMPTY_RECORD
  }
}

/** The record as one page of JSON, padded with spaces; if there are too many attempts, the oldest are left out. */
const toPage = ({ currentProjectId, attempts }: WorkRecord): Buffer => {
  const page = Buffer.alloc(PAGE_BYTES, ' ')
  const suspicions = attempts.map(toStoredAttempt)
  for (let start = 0; ; start++) {
    const stored: StoredRecord = { working: currentProjectId, suspicions: suspicions.slice(start) }
    const json = JSON.stringify(stored)
    if (json.length > PAGE_BYTES) continue
    page.write(json)
    return page
  }
}

const fromStoredAttempt = (stored: StoredAttempt): ProcessingAttempt => ({
  projectId: stored.projectId,
  storePosition: stored.place,
  lastRowId: stored.lastRow,
  processSinglyThroughRowId: stored.aloneThrough,
  crashCount: stored.crashes,
  killCount: stored.kills,
})

const toStoredAttempt = (attempt: ProcessingAttempt): StoredAttempt => ({
  projectId: attempt.projectId,
  place: attempt.storePosition,
  lastRow: attempt.lastRowId,
  aloneThrough: attempt.processSinglyThroughRowId,
  crashes: attempt.crashCount,
  kills: attempt.killCount,
})
