import { describe, expect, it } from 'vitest'
import { createPathCounter } from '../../../../src/service/insight/paths/count-paths.ts'

describe('a counter of paths', () => {
  it('can be stopped while it walks the events of one actor', () => {
    const counter = createPathCounter({
      events: { condition: { kind: 'all', conditions: [] }, matching: { rules: {}, now: 0 }, path: 'query' },
      range: { from: 0, before: 1 },
      actor: { of: 'person' },
      items: { types: ['page'], replacesIds: false, groupings: [], excluded: [] },
      start: null,
      end: null,
      stepLimit: 5,
      edges: { limit: 10, minCount: 0, maxCount: 10 },
    })
    counter.addValue(0, '/a', true)
    counter.addValue(1, '/b', true)
    const times = Float64Array.from({ length: 100_000 }, (_, index) => index)
    const values = Int32Array.from(times, (time) => time % 2)
    expect([...counter.addActor({ times, values, compareUuids: () => 0 })].length).toBeGreaterThan(10)
    expect(counter.rank()[0]).toMatchObject({ step: 1, source: '/a', target: '/b', count: 1 })
  })
})
