import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { WorkRecord } from './poison-policy.ts'

/** A `WorkRecord` that outlives its process. */
export interface WorkRecordFile {
  /** What the process before this one left. */
  readonly left: WorkRecord
  write(record: WorkRecord): void
  close(): void
}

/** Bytes of the file. One write of one page is there whole or not at all, and needs no room on the disk that was not taken before. */
const PAGE_BYTES = 4096

const NOTHING: WorkRecord = { working: null, suspicions: [] }

/**
 * Opens the file, creating it when it is not there. It is never synced: it has to outlive the process, not the machine.
 * Where the disk refuses, nothing is kept: the rows are worth more than what is known of them.
 */
export const openWorkRecord = (path: string): WorkRecordFile => {
  const left = read(path)
  let file: number | null
  try {
    file = openSync(path, 'r+')
  } catch {
    file = create(path)
  }
  return {
    left,
    write({ working, suspicions }) {
      if (file === null) return
      try {
        writeSync(file, pageOf({ working, suspicions }), 0, PAGE_BYTES, 0)
      } catch {
        // What was kept before is an older truth: a death that is not counted, at worst.
      }
    },
    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

const create = (path: string): number | null => {
  try {
    return openSync(path, 'w+', 0o600)
  } catch {
    return null
  }
}

const read = (path: string): WorkRecord => {
  try {
    const record: WorkRecord = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(record.suspicions) ? record : NOTHING
  } catch {
    return NOTHING
  }
}

/** The record as one page of text; where there are too many suspicions for it, the last ones are kept. */
const pageOf = ({ working, suspicions }: WorkRecord): Buffer => {
  const page = Buffer.alloc(PAGE_BYTES, ' ')
  for (let from = 0; ; from++) {
    const text = JSON.stringify({ working, suspicions: suspicions.slice(from) })
    if (text.length > PAGE_BYTES) continue
    page.write(text)
    return page
  }
}
