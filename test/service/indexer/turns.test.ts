import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTurns } from '../../../src/service/indexer/turns.ts'

describe('createTurns', () => {
  it('names the project that has used more than a quarter of a second more than all others', () => {
    const turns = createTurns()
    turns.use(1, 200)
    expect(turns.busyProject()).toBe(null)
    turns.use(1, 100)
    expect(turns.busyProject()).toBe(1)
    turns.use(2, 60)
    expect(turns.busyProject()).toBe(null)
  })

  it('begins again when no other project waits', () => {
    const turns = createTurns()
    turns.use(1, 1000)
    turns.clear()
    expect(turns.busyProject()).toBe(null)
  })

  it('gives no project more than half of the time, and one batch, while others wait', () => {
    const batches = fc.array(
      fc.record({ projectId: fc.integer({ min: 1, max: 4 }), ms: fc.integer({ min: 1, max: 900 }) }),
    )
    fc.assert(
      fc.property(batches, (wanted) => {
        const turns = createTurns()
        const used = new Map<number, number>()
        let totalMs = 0
        for (const { projectId, ms } of wanted) {
          const busy = turns.busyProject()
          // The loop passes over a busy project while others wait.
          const next = busy === projectId ? (projectId % 4) + 1 : projectId
          turns.use(next, ms)
          used.set(next, (used.get(next) ?? 0) + ms)
          totalMs += ms
        }
        for (const ms of used.values()) expect(ms).toBeLessThanOrEqual(totalMs / 2 + 250 + 900)
      }),
    )
  })
})
