import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCells } from '../../../src/service/salvage/read-cells.ts'
import type { CellValue } from '../../../src/service/salvage/read-cells.ts'
import { openPageReader } from '../../../src/service/salvage/page-reader.ts'
import { openSqlite } from '../../../src/service/store/sqlite/sqlite.ts'
import { withSqlite } from '../support/sqlite.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const PAGE_BYTES = 512

/** Sizes around those at which a row continues on one or several overflow pages. */
const size = fc.oneof(fc.nat(40), fc.integer({ min: PAGE_BYTES - 80, max: PAGE_BYTES + 20 }), fc.nat(4 * PAGE_BYTES))
const value: fc.Arbitrary<CellValue> = fc.oneof(
  fc.constantFrom(
    null,
    0,
    1,
    -1,
    127,
    -128,
    128,
    32_767,
    32_768,
    8_388_607,
    -8_388_609,
    2 ** 31,
    -(2 ** 47),
    2 ** 53 - 1,
  ),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'binary' }),
  fc.tuple(size, fc.constantFrom('x', 'ä', '€', '😀')).map(([length, sign]) => sign.repeat(length)),
  size.map((length) => Buffer.alloc(length, 0xab)),
)
const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 2 ** 40 }), value, value), { selector: ([id]) => id })

/** Normalises -0 like SQLite, which stores integral doubles as integers. */
const normalizeZero = (column: CellValue): CellValue => (column === 0 ? 0 : column)

test.each(['delete', 'wal'])('reads the rows of a table like SQLite in journal mode %s', (mode) => {
  fc.assert(
    fc.property(rows, (written) => {
      const path = join(createTempFolder(), 'rows.sqlite')
      const db = openSqlite(path)
      try {
        db.pragma(`page_size = ${PAGE_BYTES}`)
        db.pragma(`journal_mode = ${mode}`)
        db.pragma('synchronous = off')
        db.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY, a, b)')
        const insert = db.prepare('INSERT INTO kept VALUES (?, ?, ?)')
        db.transaction(() => written.forEach((row) => insert.run(...row)))()
        const expected = db.prepare<[], [number, CellValue, CellValue]>('SELECT * FROM kept ORDER BY id').raw().all()

        const pages = openPageReader(path, PAGE_BYTES)
        const read: [number, ...CellValue[]][] = []
        // The first page contains the list of tables.
        for (let page = 2; page <= pages.pageCount; page++) {
          // An overflow page may begin like a page of a table.
          for (const { rowId, columns } of readCells(pages, page)) {
            if (columns.length === 3 && columns[0] === null) read.push([rowId, ...columns.slice(1).map(normalizeZero)])
          }
        }
        pages.close()
        expect(read.toSorted(([a], [b]) => a - b)).toEqual(
          expected.map(([id, a, b]) => [id, normalizeZero(a), normalizeZero(b)]),
        )
      } finally {
        db.close()
      }
    }),
    { numRuns: 100 },
  )
})

test('never throws for damaged pages', () => {
  const path = join(createTempFolder(), 'rows.sqlite')
  withSqlite(path, (db) => {
    db.pragma(`page_size = ${PAGE_BYTES}`)
    db.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY, a, b)')
    const insert = db.prepare('INSERT INTO kept VALUES (?, ?, ?)')
    for (let id = 1; id <= 40; id++) insert.run(id, `row ${id}`, Buffer.alloc(id * 40, id))
  })
  const intact = openPageReader(path, PAGE_BYTES)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1 }), (changes) => {
      const damaged = {
        ...intact,
        read: (page: number) => {
          const bytes = intact.read(page)
          for (const [at, byte] of changes) {
            if (bytes !== null && 1 + (Math.floor(at / PAGE_BYTES) % intact.pageCount) === page)
              bytes[at % PAGE_BYTES] = byte
          }
          return bytes
        },
      }
      for (let page = 0; page <= intact.pageCount + 1; page++) expect(() => readCells(damaged, page)).not.toThrow()
    }),
    { numRuns: 150 },
  )
  intact.close()
})
