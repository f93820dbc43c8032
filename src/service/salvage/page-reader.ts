import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readWal } from '../store/sqlite/read-wal.ts'

/** The pages of a SQLite file after the last transaction that can be read from its log. */
export interface PageReader {
  readonly pageBytes: number
  /** Page numbers go from 1 to this. */
  readonly pageCount: number
  /** Returns the bytes of a page; null if the page does not exist. */
  read(page: number): Buffer | null
  close(): void
}

/**
 * Opens a SQLite file without SQLite, which rejects much more than the damaged parts. It also reads log frames that follow a
 * damaged frame, which SQLite drops. It ignores frames of a transaction without a commit frame.
 *
 * @param pageBytes The page size, because the file header may be damaged.
 */
export const openPageReader = (path: string, pageBytes: number): PageReader => {
  const file = openSync(path, 'r')
  const offsetsInLog = findPageOffsetsInLog(path, pageBytes)
  const log = offsetsInLog.size === 0 ? null : openSync(`${path}-wal`, 'r')
  const storedCount = Math.ceil(fstatSync(file).size / pageBytes)
  let pageCount = storedCount
  for (const page of offsetsInLog.keys()) pageCount = Math.max(pageCount, page)
  return {
    pageBytes,
    pageCount,
    read(page) {
      const offset = offsetsInLog.get(page)
      if (offset === undefined && (page < 1 || page > storedCount)) return null
      const bytes = Buffer.alloc(pageBytes)
      if (offset === undefined || log === null) readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes)
      else readSync(log, bytes, 0, pageBytes, offset)
      return bytes
    },
    close() {
      closeSync(file)
      if (log !== null) closeSync(log)
    },
  }
}

/** Finds the offset of each page in the log, as of the last committed transaction. */
const findPageOffsetsInLog = (path: string, pageBytes: number): ReadonlyMap<number, number> => {
  const offsets = new Map<number, number>()
  let uncommitted: (readonly [page: number, offset: number])[] = []
  readWal(path, pageBytes, ({ page, isCommit, offset }) => {
    uncommitted.push([page, offset])
    if (!isCommit) return
    for (const entry of uncommitted) offsets.set(...entry)
    uncommitted = []
  })
  return offsets
}
