import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsvRows } from '../../src/import/parse-csv-rows.ts'
import { createRowSplitter } from '../../src/import/row-splitter.ts'

const splitRows = (csv: string, chunkBytes: number) => {
  const splitter = createRowSplitter({
    hasQuotes: true,
    maxRowBytes: 10_000,
    startPosition: { offset: 0, lines: 0, doubtEnd: 0 },
  })
  const bytes = Buffer.from(csv)
  const rows = []
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    rows.push(...splitter.push(bytes.subarray(start, start + chunkBytes)))
  }
  return [...rows, ...splitter.end()]
}

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

test('parses cells with quotes, commas, line ends and multi-byte characters', () => {
  const cell = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', ' ', 'a', 'é', '😀'), maxLength: 8 })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 50 }), (table, lineEnd, chunkBytes) => {
      const csv = table.map((cells) => cells.map(quote).join(',')).join(lineEnd)
      expect(parseCsvRows(splitRows(csv, chunkBytes))).toEqual(table)
    }),
  )
})

test('reports an invalid row and parses the rows around it', () => {
  const rows = parseCsvRows(splitRows('a,b\nc"d,e\nf,g', 100))
  expect(rows[0]).toEqual(['a', 'b'])
  expect(rows[1]).toEqual({ problem: expect.stringContaining('Invalid Opening Quote') })
  expect(rows[2]).toEqual(['f', 'g'])
})
