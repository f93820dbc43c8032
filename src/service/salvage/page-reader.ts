import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readWal } from '../store/sqlite/read-wal.ts'

/** Reads pages of a SQLite file. A page in the write-ahead log (WAL) replaces the page of that number in the file. */
export interface PageReader {
  /** The size of a page. */
  readonly pageBytes: number
  /** Page numbers go from 1 to this. */
  readonly pageCount: number
  /** Returns the bytes of a page; null if the page does not exist. A truncated last page is padded with zeros. */
  read(page: number): Buffer | null
  close(): void
}

/**
 * Opens a damaged SQLite file without SQLite, which rejects a whole file for one damaged page. The reader uses every complete
 * transaction in the WAL, also those after a damaged frame, which SQLite would drop. It ignores a transaction whose last frame
 * is missing.
 *
 * @param pageBytes The size of a page. The caller passes it because the file header, which contains it, may be damaged.
 */
export const openPageReader = (path: string, pageBytes: number): PageReader => {
  const file = openSync(path, 'r')
  const offsetsInWal = findPageOffsetsInWal(path, pageBytes)
  const wal = offsetsInWal.size === 0 ? null : openSync(`${path}-wal`, 'r')
  const filePageCount = Math.ceil(fstatSync(file).size / pageBytes)
  let pageCount = filePageCount
  for (const page of offsetsInWal.keys()) pageCount = Math.max(pageCount, page)
  return {
    pageBytes,
    pageCount,
    read(page) {
      const offset = offsetsInWal.get(page)
      if (offset === undefined && (page < 1 || page > filePageCount)) return null
      const bytes = Buffer.alloc(pageBytes)
      if (offset === undefined || wal === null) readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes)
      else readSync(wal, bytes, 0, pageBytes, offset)
      return bytes
    },
    close() {
      closeSync(file)
      if (wal !== null) closeSync(wal)
    },
  }
}

/** Finds the offset in the WAL of the latest committed copy of each page. */
const findPageOffsetsInWal = (path: string, pageBytes: number): ReadonlyMap<number, number> => {
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
