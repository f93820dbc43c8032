import { closeSync, openSync, writeSync } from 'node:fs'
import { openSqlite } from '../store/sqlite/sqlite.ts'
import type { SqliteDatabase } from '../store/sqlite/sqlite.ts'
import { classifyFileError } from '../store/sqlite/classify-file-error.ts'
import { openPageReader } from './page-reader.ts'

/** The result of the salvage of one table. */
export interface SalvagedTable {
  readonly name: string
  readonly rows: number
  /** Whether some of its rows could not be read. */
  readonly isDamaged: boolean
}

/** Rows that one query reads. After a damaged row, queries read one row each until one succeeds. */
const CHUNK_ROWS = 256

/** Size of the file header in bytes (https://www.sqlite.org/fileformat2.html#the_database_header). */
const HEADER_BYTES = 100

/**
 * Copies every row of a metadata file that SQLite can read into a new one, table by table. Throws the error of SQLite if the
 * list of tables cannot be read.
 *
 * @param workPath Path of a temporary file. The caller must remove it.
 */
export const salvageMetadata = (from: string, to: string, workPath: string): readonly SalvagedTable[] => {
  copyPages(from, workPath)
  const source = openSqlite(workPath)
  const target = openSqlite(to)
  try {
    target.pragma('foreign_keys = OFF')
    target.exec('BEGIN')
    const salvaged = listObjects(source, 'table').map(({ name, sql }) => {
      if (name !== 'sqlite_sequence') target.exec(sql)
      return copyTable(source, target, name)
    })
    // Indexes are created after the rows. They reject none, because the new tables contain no duplicates.
    for (const { sql } of listObjects(source, 'index')) target.exec(sql)
    target.exec('COMMIT')
    return salvaged
  } finally {
    source.close()
    target.close()
  }
}

/** Writes the pages of a file and its WAL into one file, because SQLite drops WAL frames after a damaged one. */
const copyPages = (from: string, to: string): void => {
  const header = Buffer.alloc(HEADER_BYTES)
  // A page of this size at the start of the file is its header.
  const headerReader = openPageReader(from, HEADER_BYTES)
  headerReader.read(1)?.copy(header)
  headerReader.close()
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const isPageSize = pageBytes >= 512 && (pageBytes & (pageBytes - 1)) === 0
  const pages = openPageReader(from, isPageSize ? pageBytes : 4096)
  const file = openSync(to, 'w', 0o600)
  try {
    for (let page = 1; page <= pages.pageCount; page++)
      writeSync(
        file,
        pages.read(page) ?? Buffer.alloc(pages.pageBytes),
        0,
        pages.pageBytes,
        (page - 1) * pages.pageBytes,
      )
  } finally {
    closeSync(file)
    pages.close()
  }
}

const listObjects = (db: SqliteDatabase, type: 'table' | 'index'): readonly { name: string; sql: string }[] =>
  db
    .prepare<[string], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL ORDER BY name = 'sqlite_sequence', rowid",
    )
    .all(type)

const copyTable = (source: SqliteDatabase, target: SqliteDatabase, name: string): SalvagedTable => {
  const columns = source.pragma(`table_info("${name}")`) as readonly { readonly name: string }[]
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const insert = target.prepare(
    `INSERT OR IGNORE INTO "${name}" (rowid, ${names}) VALUES (?${', ?'.repeat(columns.length)})`,
  )
  const readChunk = source
    .prepare<[bigint, number], readonly [bigint, ...unknown[]]>(
      `SELECT rowid, ${names} FROM "${name}" NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    )
    .raw()
    .safeIntegers()
  let after = FIRST_ROWID
  let limit = CHUNK_ROWS
  let rows = 0
  let isDamaged = false
  for (;;) {
    try {
      const chunk = readChunk.all(after, limit)
      for (const row of chunk) rows += insert.run(...row).changes
      if (chunk.length < limit) return { name, rows, isDamaged }
      after = chunk.at(-1)![0]
      limit = CHUNK_ROWS
    } catch (error) {
      if (classifyFileError(error) !== 'damaged') throw error
      if (limit > 1) {
        limit = 1
        continue
      }
      isDamaged = true
      const nextRowId = findReadableAfter(after, (id) => isReadable(() => readChunk.all(id, 1)))
      if (nextRowId === null) return { name, rows, isDamaged }
      after = nextRowId
    }
  }
}

/** Lower than every rowid that SQLite assigns. */
const FIRST_ROWID = -1n
const MAX_STEP = 2n ** 62n

/** Finds the nearest id above `id` after which a row can be read. Doubling steps find such an id, bisection the nearest. */
const findReadableAfter = (id: bigint, isReadableAfter: (id: bigint) => boolean): bigint | null => {
  let step = 1n
  while (!isReadableAfter(id + step)) {
    step *= 2n
    if (step > MAX_STEP) return null
  }
  let unreadable = id + step / 2n
  let readable = id + step
  while (readable - unreadable > 1n) {
    const middle = (readable + unreadable) / 2n
    if (isReadableAfter(middle)) readable = middle
    else unreadable = middle
  }
  return readable
}

const isReadable = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch (error) {
    if (classifyFileError(error) !== 'damaged') throw error
    return false
  }
}
