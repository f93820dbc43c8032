import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvCells } from '../../src/import/csv-cells.ts'
import { createRowSplitter } from '../../src/import/row-splitter.ts'

const rowsOf = (text: string, chunk: number) => {
  const splitter = createRowSplitter({
    hasQuotes: true,
    maxRowBytes: 10_000,
    from: { offset: 0, lines: 0, doubtEnd: 0 },
  })
  const bytes = Buffer.from(text)
  const rows = []
  for (let at = 0; at < bytes.length; at += chunk) rows.push(...splitter.push(bytes.subarray(at, at + chunk)))
  return [...rows, ...splitter.end()]
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

test('what a writer of CSV puts into cells is read back: quotes, commas, line ends, signs of several bytes', () => {
  const cell = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', ' ', 'a', 'é', '😀'), maxLength: 8 })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 50 }), (table, lineEnd, chunk) => {
      const text = table.map((cells) => cells.map(quoted).join(',')).join(lineEnd)
      expect(csvCells(rowsOf(text, chunk))).toEqual(table)
    }),
  )
})

test('a broken row is told apart from its neighbours', () => {
  const found = csvCells(rowsOf('a,b\nc"d,e\nf,g', 100))
  expect(found[0]).toEqual(['a', 'b'])
  expect(found[1]).toEqual({ problem: expect.stringContaining('Invalid Opening Quote') })
  expect(found[2]).toEqual(['f', 'g'])
})
