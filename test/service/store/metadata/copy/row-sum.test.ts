import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Row } from '../../../../../src/service/store/metadata/copy/read-rows.ts'
import { createRowSum } from '../../../../../src/service/store/metadata/copy/row-sum.ts'

const sumOf = (rows: readonly Row[]) => {
  const sum = createRowSum()
  for (const row of rows) sum.add(row)
  return sum.read()
}

const row = fc.dictionary(
  fc.constantFrom('a', 'b'),
  fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.constant(null)),
)

test('is the same in any order of rows and columns, and differs with any value', () => {
  const reversed = (columns: Row): Row => Object.fromEntries(Object.entries(columns).toReversed())
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), (rows) => {
      const sum = sumOf(rows)
      expect(sumOf(rows.toReversed().map(reversed))).toEqual(sum)
      const [first, ...others] = rows
      expect(sumOf([{ ...first, a: `${first!['a']}.` }, ...others]).hash).not.toBe(sum.hash)
      expect(sumOf(others).hash).not.toBe(sum.hash)
      expect(sum.rows).toBe(rows.length)
    }),
  )
})

test('tells a number from its text, and a value from that of another column', () => {
  const rows: readonly Row[] = [{ a: 1 }, { a: '1' }, { b: 1 }, { a: 1, b: null }, { a: '\ud800' }, { a: '\ufffd' }]
  const hashes = rows.map((columns) => sumOf([columns]).hash)
  expect(new Set(hashes).size).toBe(rows.length)
})
