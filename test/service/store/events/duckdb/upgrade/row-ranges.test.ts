import { expect, test } from 'vitest'
import { readRanges } from '../../../../../../src/service/store/events/duckdb/upgrade/row-ranges.ts'

const MEGABYTE = 1024 * 1024

/** The numbers of rows of the ranges, if each row from `start` has this many bytes. */
const readCounts = async (first: number, end: number, bytesOf: (row: number) => number): Promise<number[]> => {
  const counts: number[] = []
  let next = first
  const ranges = readRanges({ first, end }, async (range) => {
    expect(range.first).toBe(next)
    next = range.end
    const rows = Array.from({ length: range.end - range.first }, (_, n) => range.first + n)
    return { rows, bytes: rows.reduce((sum, row) => sum + bytesOf(row), 0) }
  })
  for await (const { rows } of ranges) counts.push(rows.length)
  expect(next).toBe(end)
  return counts
}

test('ranges of small rows grow up to 2,048 rows', async () => {
  expect(await readCounts(10, 5010, () => 100)).toEqual([64, 128, 256, 512, 1024, 2048, 968])
  expect(await readCounts(0, 100, () => 0)).toEqual([64, 36])
  expect(await readCounts(5, 5, () => 0)).toEqual([])
})

test('ranges of large rows have few of them', async () => {
  expect(await readCounts(0, 80, () => MEGABYTE)).toEqual([64, 8, 8])
  expect(await readCounts(0, 67, () => 100 * MEGABYTE)).toEqual([64, 1, 1, 1])
  expect(await readCounts(0, 200, (row) => (row < 64 ? 2 * MEGABYTE : 1))).toEqual([64, 4, 8, 16, 32, 64, 12])
})
