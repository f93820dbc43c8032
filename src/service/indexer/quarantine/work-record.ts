import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { WorkRecord } from './poison-policy.ts'

/** A `WorkRecord` in a file, which outlives its process. */
export interface WorkRecordFile {
  /** The record that the previous process left. */
  readonly previous: WorkRecord
  write(record: WorkRecord): void
  close(): void
}

/** Size of the file. A write of one page is atomic and, after the first, needs no further disk space. */
const PAGE_BYTES = 4096

const EMPTY: WorkRecord = { working: null, suspicions: [] }

/**
 * Opens the file, or creates it. Writes are not synced: the record must survive the process, not the machine. Disk errors
 * are ignored, because storing the rows matters more than the record.
 */
export const openWorkRecord = (path: string): WorkRecordFile => {
  const previous = readRecord(path)
  let file: number | null
  try {
    file = openSync(path, 'r+')
  } catch {
    file = createFile(path)
  }
  return {
    previous,
    write({ working, suspicions }) {
      if (file === null) return
      try {
        writeSync(file, toPage({ working, suspicions }), 0, PAGE_BYTES, 0)
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

const readRecord = (path: string): WorkRecord => {
  try {
    const record: WorkRecord = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(record.suspicions) ? record : EMPTY
  } catch {
    return EMPTY
  }
}

/** The record as one page of JSON, padded with spaces; if there are too many attempts, the oldest are left out. */
const toPage = ({ working, suspicions }: WorkRecord): Buffer => {
  const page = Buffer.alloc(PAGE_BYTES, ' ')
  for (let start = 0; ; start++) {
    const json = JSON.stringify({ working, suspicions: suspicions.slice(start) })
    if (json.length > PAGE_BYTES) continue
    page.write(json)
    return page
  }
}
