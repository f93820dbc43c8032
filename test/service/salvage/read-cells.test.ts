import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellsIn } from '../../../src/service/salvage/read-cells.ts'
import type { CellValue } from '../../../src/service/salvage/read-cells.ts'
import { openPages } from '../../../src/service/salvage/read-pages.ts'
import { openSqlite, withSqlite } from '../support/sqlite.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PAGE_BYTES = 512

/** Around the sizes at which a row goes on in pages of its own, one or several. */
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

/** As SQLite reads it: it keeps a whole number that was written as a double as a whole number in the file. */
const numbers = (column: CellValue): CellValue => (column === 0 ? 0 : column)

test.each(['delete', 'wal'])('reads the rows of a table as SQLite does, with a journal of mode %s', (mode) => {
  fc.assert(
    fc.property(rows, (written) => {
      const path = join(tempFolder(), 'rows.sqlite')
      const db = openSqlite(path)
      try {
        db.pragma(`page_size = ${PAGE_BYTES}`)
        db.pragma(`journal_mode = ${mode}`)
        db.pragma('synchronous = off')
        db.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY, a, b)')
        const insert = db.prepare('INSERT INTO kept VALUES (?, ?, ?)')
        db.transaction(() => written.forEach((row) => insert.run(...row)))()
        const expected = db.prepare<[], [number, CellValue, CellValue]>('SELECT * FROM kept ORDER BY id').raw().all()

        const pages = openPages(path, PAGE_BYTES)
        const read: [number, ...CellValue[]][] = []
        // The first page holds the list of tables.
        for (let page = 2; page <= pages.count; page++) {
          // A page that a row goes on in may begin like one of a table.
          for (const { rowId, columns } of cellsIn(pages, page)) {
            if (columns.length === 3 && columns[0] === null) read.push([rowId, ...columns.slice(1).map(numbers)])
          }
        }
        pages.close()
        expect(read.toSorted(([a], [b]) => a - b)).toEqual(expected.map(([id, a, b]) => [id, numbers(a), numbers(b)]))
      } finally {
        db.close()
      }
    }),
    { numRuns: 100 },
  )
})

test('passes over damage of any kind', () => {
  const path = join(tempFolder(), 'rows.sqlite')
  withSqlite(path, (db) => {
    db.pragma(`page_size = ${PAGE_BYTES}`)
    db.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY, a, b)')
    const insert = db.prepare('INSERT INTO kept VALUES (?, ?, ?)')
    for (let id = 1; id <= 40; id++) insert.run(id, `row ${id}`, Buffer.alloc(id * 40, id))
  })
  const whole = openPages(path, PAGE_BYTES)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1 }), (changes) => {
      const damaged = {
        ...whole,
        read: (page: number) => {
          const bytes = whole.read(page)
          for (const [at, byte] of changes) {
            if (bytes !== null && 1 + (Math.floor(at / PAGE_BYTES) % whole.count) === page)
              bytes[at % PAGE_BYTES] = byte
          }
          return bytes
        },
      }
      for (let page = 0; page <= whole.count + 1; page++) expect(() => cellsIn(damaged, page)).not.toThrow()
    }),
    { numRuns: 150 },
  )
  whole.close()
})
