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
  const inLog = new Map<number, Buffer>()
  const { frames = [] } = readWal(path, pageBytes) ?? {}
  const end = frames.findLastIndex(({ isCommit }) => isCommit) + 1
  for (const { page, bytes } of frames.slice(0, end)) inLog.set(page, bytes)
  const stored = Math.ceil(fstatSync(file).size / pageBytes)
  return {
    pageBytes,
    count: Math.max(stored, ...inLog.keys()),
    read(page) {
      const found = inLog.get(page)
      if (found !== undefined || page < 1 || page > stored) return found ?? null
      const bytes = Buffer.alloc(pageBytes)
      readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes)
      return bytes
    },
    close: () => closeSync(file),
  }
}
