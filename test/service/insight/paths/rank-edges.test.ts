import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CountedEdge } from '../../../../src/service/insight/paths/edge-table.ts'
import { createEdgeTable } from '../../../../src/service/insight/paths/edge-table.ts'
import { rankEdges } from '../../../../src/service/insight/paths/rank-edges.ts'
import type { EdgeLimits } from '../../../../src/service/insight/question/paths.ts'

const complete = (edges: readonly (readonly [number, number, number])[], limits: EdgeLimits) => {
  const table = createEdgeTable()
  for (const [step, source, target] of edges) table.add(step, source, target, 1)
  const work = rankEdges(table, limits)
  let yields = 0
  for (let result = work.next(); ; result = work.next()) {
    if (result.done) return { ranked: result.value, yields }
    yields += 1
  }
}

const nameOf = ({ step, source, target }: CountedEdge): string => `${step} ${source} ${target}`

describe('a ranking of edges', () => {
  test('has the most frequent ones first, then the first ones by name', () => {
    const edge = fc.tuple(fc.integer({ min: 1, max: 11 }), fc.nat({ max: 9 }), fc.nat({ max: 9 }))
    const limits = fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      minCount: fc.nat({ max: 2 }),
      maxCount: fc.integer({ min: 2, max: 9 }),
    })
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 400, size: 'max' }), limits, (edges, { limit, minCount, maxCount }) => {
        // Items of one digit, so that their texts have the order of their numbers.
        const counts = new Map<string, number>()
        for (const [step, source, target] of edges) {
          const name = `${step} ${source} ${target}`
          counts.set(name, (counts.get(name) ?? 0) + 1)
        }
        const stepName = (name: string): string => name.replace(' ', '_')
        const expected = [...counts]
          .filter(([, count]) => count >= minCount && count <= maxCount)
          .toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (stepName(a) < stepName(b) ? -1 : 1))
          .slice(0, limit)
          .map(([name]) => name)
        expect(complete(edges, { limit, minCount, maxCount }).ranked.map(nameOf)).toEqual(expected)
      }),
    )
  })

  test('of many edges is computed in chunks, and has the first ones by name', () => {
    const edges = Array.from({ length: 20_000 }, (_, index) => [1, (index * 7919) % 20_000, 0] as const)
    const { ranked, yields } = complete(edges, { limit: 3, minCount: 0, maxCount: 10 })
    expect(ranked.map(({ source }) => source)).toEqual([0, 1, 2])
    expect(yields).toBeGreaterThan(5)
  })
})
