import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNameTable, HASH_START, hashByte, MAX_NAMES } from '../../../src/service/json/name-table.ts'

const find = (table: ReturnType<typeof createNameTable>, name: string): number => {
  const bytes = Buffer.from(`"${name}"`)
  return table.find(bytes, 1, bytes.length - 1, bytes.subarray(1, -1).reduce(hashByte, HASH_START))
}

test('gives each name a number of its own, in the order of their first use', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 6 })), (names) => {
      const table = createNameTable(['first'])
      const distinct = [...new Set(['first', ...names])]
      for (const name of names) expect(table.names[find(table, name)]).toBe(name)
      expect(table.names).toEqual(distinct)
    }),
  )
})

test('recognises a name where it starts', () => {
  const table = createNameTable(['ab', 'abc'])
  const bytes = Buffer.from('"abc":')
  expect(table.match(bytes, 1, 1)).toBe(4)
  expect(table.match(bytes, 1, 0)).toBe(-1)
  expect(table.match(Buffer.from('"ab'), 1, 1)).toBe(-1)
})

test('takes no long names, and no new ones once it is full', () => {
  const table = createNameTable()
  expect(find(table, 'n'.repeat(100))).toBe(0)
  expect(find(table, 'n'.repeat(101))).toBe(-1)
  for (let number = 1; number < MAX_NAMES; number++) expect(find(table, `name ${number}`)).toBe(number)
  expect(table.isFull()).toBe(true)
  expect(find(table, 'one more')).toBe(-1)
  expect(find(table, 'name 17')).toBe(17)
})
