import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readWal } from '../store/sqlite/wal.ts'

/** The pages of a SQLite file, as the last transaction left them as far as its log can be read. */
export interface Pages {
  readonly pageBytes: number
  /** Pages are numbered from 1 to this. */
  readonly count: number
  /** The bytes of a page; null for one that is not there. */
  read(page: number): Buffer | null
  close(): void
}

/**
 * Opens a SQLite file beneath SQLite, which refuses much more than what is damaged. Frames of the log that SQLite would drop
 * because one before them is damaged are read; those of a transaction without its end are not.
 *
 * @param pageBytes The size of a page, which a damaged head no longer tells.
 */
export const openPages = (path: string, pageBytes: number): Pages => {
  const file = openSync(path, 'r')
  const inLog = placesInLog(path, pageBytes)
  const log = inLog.size === 0 ? null : openSync(`${path}-wal`, 'r')
  const stored = Math.ceil(fstatSync(file).size / pageBytes)
  let count = stored
  for (const page of inLog.keys()) count = Math.max(count, page)
  return {
    pageBytes,
    count,
    read(page) {
      const at = inLog.get(page)
      if (at === undefined && (page < 1 || page > stored)) return null
      const bytes = Buffer.alloc(pageBytes)
      if (at === undefined || log === null) readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes)
      else readSync(log, bytes, 0, pageBytes, at)
      return bytes
    },
    close() {
      closeSync(file)
      if (log !== null) closeSync(log)
    },
  }
}

/** Where in the log the last transaction that ended left each page. */
const placesInLog = (path: string, pageBytes: number): ReadonlyMap<number, number> => {
  const places = new Map<number, number>()
  let open: (readonly [page: number, at: number])[] = []
  readWal(path, pageBytes, ({ page, isCommit, at }) => {
    open.push([page, at])
    if (!isCommit) return
    for (const one of open) places.set(...one)
    open = []
  })
  return places
}
