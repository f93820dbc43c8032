import { closeSync, openSync, writeSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { fileFault } from '../store/sqlite/file-fault.ts'
import { openPages } from './read-pages.ts'

/** What a salvage found of one table. */
export interface SalvagedTable {
  readonly name: string
  readonly rows: number
  /** Whether some of its rows could not be read. */
  readonly isDamaged: boolean
}

/** Rows that are read at once while all goes well. */
const SLICE_ROWS = 256

/** A file of this size in bytes has no head (https://www.sqlite.org/fileformat2.html#the_database_header). */
const HEAD_BYTES = 100

/**
 * Copies every row of a metadata file that SQLite can read into a new one, table by table. Throws what SQLite says when not
 * even the list of tables can be read.
 *
 * @param work Path of a file that is made for the time of the salvage, and left to the caller to remove.
 */
export const salvageMetadata = (from: string, to: string, work: string): readonly SalvagedTable[] => {
  copyPages(from, work)
  const source = new Sqlite(work)
  const target = new Sqlite(to)
  try {
    target.pragma('foreign_keys = OFF')
    target.exec('BEGIN')
    const salvaged = objectsOf(source, 'table').map(({ name, sql }) => {
      if (name !== 'sqlite_sequence') target.exec(sql)
      return copyTable(source, target, name)
    })
    // After the rows: an index refuses none that its table has twice, since the new table holds each once.
    for (const { sql } of objectsOf(source, 'index')) target.exec(sql)
    target.exec('COMMIT')
    return salvaged
  } finally {
    source.close()
    target.close()
  }
}

/** Writes the pages of a file and its log as one file, for SQLite drops what stands behind a damage in a log. */
const copyPages = (from: string, to: string): void => {
  const head = Buffer.alloc(HEAD_BYTES)
  const first = openPages(from, HEAD_BYTES)
  first.read(1)?.copy(head)
  first.close()
  const pageBytes = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
  const isPageSize = pageBytes >= 512 && (pageBytes & (pageBytes - 1)) === 0
  const pages = openPages(from, isPageSize ? pageBytes : 4096)
  const file = openSync(to, 'w', 0o600)
  try {
    for (let page = 1; page <= pages.count; page++)
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

const objectsOf = (db: Sqlite.Database, type: 'table' | 'index'): readonly { name: string; sql: string }[] =>
  db
    .prepare<[string], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL ORDER BY name = 'sqlite_sequence', rowid",
    )
    .all(type)

const copyTable = (source: Sqlite.Database, target: Sqlite.Database, name: string): SalvagedTable => {
  const columns = source.pragma(`table_info("${name}")`) as readonly { readonly name: string }[]
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const insert = target.prepare(
    `INSERT OR IGNORE INTO "${name}" (rowid, ${names}) VALUES (?${', ?'.repeat(columns.length)})`,
  )
  const slice = source
    .prepare<[bigint, number], readonly [bigint, ...unknown[]]>(
      `SELECT rowid, ${names} FROM "${name}" NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    )
    .raw()
    .safeIntegers()
  let after = FIRST
  let most = SLICE_ROWS
  let rows = 0
  let isDamaged = false
  for (;;) {
    try {
      const found = slice.all(after, most)
      for (const row of found) rows += insert.run(...row).changes
      if (found.length < most) return { name, rows, isDamaged }
      after = found.at(-1)![0]
      most = SLICE_ROWS
    } catch (error) {
      if (fileFault(error) !== 'damaged') throw error
      if (most > 1) {
        most = 1
        continue
      }
      isDamaged = true
      const next = readableAfter(after, (id) => isReadable(() => slice.all(id, 1)))
      if (next === null) return { name, rows, isDamaged }
      after = next
    }
  }
}

/** Below every row that is given a number by itself. */
const FIRST = -1n
const LAST = 2n ** 62n

/** The nearest id behind `id` after which a row can be read: steps that double find one, halving finds the nearest. */
const readableAfter = (id: bigint, isReadableAfter: (id: bigint) => boolean): bigint | null => {
  let step = 1n
  while (!isReadableAfter(id + step)) {
    step *= 2n
    if (step > LAST) return null
  }
  let refused = id + step / 2n
  let readable = id + step
  while (readable - refused > 1n) {
    const middle = (readable + refused) / 2n
    if (isReadableAfter(middle)) readable = middle
    else refused = middle
  }
  return readable
}

const isReadable = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch (error) {
    if (fileFault(error) !== 'damaged') throw error
    return false
  }
}
