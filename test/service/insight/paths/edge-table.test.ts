import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CountedEdge, EdgeTable } from '../../../../src/service/insight/paths/edge-table.ts'
import { createEdgeTable, MAX_ITEMS } from '../../../../src/service/insight/paths/edge-table.ts'

const item = fc.oneof(fc.nat({ max: 30 }), fc.constantFrom(0, MAX_ITEMS - 2, MAX_ITEMS - 1))

const listEdges = (table: EdgeTable): readonly CountedEdge[] =>
  Array.from({ length: table.capacity() }, (_, slot) => slot)
    .filter((slot) => table.countAt(slot) > 0)
    .map(table.edgeAt)

describe('a table of edges', () => {
  test('counts the same as a map does', () => {
    const edge = fc.record({ step: fc.integer({ min: 1, max: 31 }), source: item, target: item, ms: fc.nat() })
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 3000, size: 'max' }), (list) => {
        const table = createEdgeTable()
        const expected = new Map<string, number[]>()
        for (const { step, source, target, ms } of list) {
          table.add(step, source, target, ms)
          const key = `${step} ${source} ${target}`
          expected.set(key, [...(expected.get(key) ?? []), ms])
        }
        const found = new Map(
          listEdges(table).map(({ step, source, target, count, totalMs }) => [
            `${step} ${source} ${target}`,
            [count, totalMs],
          ]),
        )
        const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
        expect(found).toEqual(new Map([...expected].map(([key, ms]) => [key, [ms.length, sum(ms)]])))
        expect(table.size()).toBe(expected.size)
      }),
      { numRuns: 20 },
    )
  })
})
