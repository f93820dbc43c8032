import { describe, expect, test } from 'vitest'
import { createPathPacking } from '../../../../../../src/service/store/events/duckdb/question/path-packing.ts'
import type { PathPacking } from '../../../../../../src/service/store/events/duckdb/question/path-packing.ts'

const unpack = (packing: PathPacking, numbers: readonly number[]) => {
  const events: [number, number][] = []
  const vector = { getItem: (index: number) => numbers[index]! } as Parameters<PathPacking['unpack']>[0]
  const isInOrder = packing.unpack(vector, 1, numbers.length - 1, (time, item) => events.push([time, item]))
  return isInOrder ? events : null
}

describe('packed events of a path', () => {
  const packing = createPathPacking({ from: 1000, before: 2000 }, 3)!

  test('come in the order of their times', () => {
    expect(packing.sql).toBe('((time - 1000) * 4 + number)::DOUBLE')
    expect(unpack(packing, [99, 4 * 7 + 2, 4 * 5 + 1, 4 * 999])).toEqual([
      [1005, 1],
      [1007, 2],
      [1999, 0],
    ])
  })

  test('are refused as a whole where two items have the same time', () => {
    expect(unpack(packing, [99, 4, 4 * 7 + 2, 4 * 7 + 1])).toBeNull()
    expect(unpack(packing, [99, 4 * 7 + 2, 4 * 7 + 2])).toEqual([
      [1007, 2],
      [1007, 2],
    ])
  })

  test('are not possible where times and items do not fit in a double', () => {
    expect(createPathPacking({ from: 0, before: 2 ** 40 - 1 }, 2 ** 13)).not.toBeNull()
    expect(createPathPacking({ from: 0, before: 2 ** 40 - 1 }, 2 ** 13 + 1)).toBeNull()
  })
})
