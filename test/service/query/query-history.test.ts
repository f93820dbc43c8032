import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueryHistory } from '../../../src/service/query/query-history.ts'
import type { EndedQuery } from '../../../src/service/query/query-history.ts'

const LIFETIME = 100

const open = (limits: { maxQueries: number; maxResultBytes: number }) =>
  createQueryHistory<EndedQuery>({ ...limits, withoutResult: (query) => ({ ...query, resultBytes: 0 }) })

const query = (projectId: number, id: string, resultBytes: number, endTime = 0): EndedQuery => ({
  projectId,
  id,
  resultBytes,
  expirationTime: endTime + LIFETIME,
})

describe('the history of queries', () => {
  it('never keeps more queries or bytes than its limits, and always the newest query', () => {
    const added = fc.record({
      projectId: fc.integer({ min: 1, max: 4 }),
      id: fc.integer({ min: 0, max: 30 }).map(String),
      bytes: fc.integer({ min: 0, max: 60 }),
      pause: fc.integer({ min: 0, max: 30 }),
    })
    fc.assert(
      fc.property(fc.array(added, { maxLength: 100 }), (additions) => {
        const history = open({ maxQueries: 10, maxResultBytes: 100 })
        const known = new Set<string>()
        let now = 0
        for (const { projectId, id, bytes, pause } of additions) {
          now += pause
          history.add(query(projectId, id, bytes, now), now)
          known.add(`${projectId} ${id}`)
          const kept = [...known].flatMap((key) => {
            const [project, name] = key.split(' ')
            return history.find(Number(project), name!, now) ?? []
          })
          expect(kept.length).toBeLessThanOrEqual(10)
          expect(kept.reduce((sum, { resultBytes }) => sum + resultBytes, 0)).toBeLessThanOrEqual(100)
          for (const { expirationTime } of kept) expect(expirationTime).toBeGreaterThan(now)
          expect(history.find(projectId, id, now)).toBeDefined()
        }
      }),
    )
  })

  it('takes results from the project with the most bytes, the oldest first, and keeps their queries', () => {
    const history = open({ maxQueries: 10, maxResultBytes: 100 })
    history.add(query(2, 'small', 20), 0)
    for (const id of ['a', 'b', 'c']) history.add(query(1, id, 30), 0)
    const bytes = ['a', 'b', 'c'].map((id) => history.find(1, id, 0)?.resultBytes)
    expect([...bytes, history.find(2, 'small', 0)?.resultBytes]).toEqual([0, 30, 30, 20])
  })

  it('takes a result that is larger than the limit at once', () => {
    const history = open({ maxQueries: 10, maxResultBytes: 100 })
    history.add(query(1, 'huge', 101), 0)
    expect(history.find(1, 'huge', 0)?.resultBytes).toBe(0)
  })

  it('forgets the oldest query of the project with the most', () => {
    const history = open({ maxQueries: 3, maxResultBytes: 100 })
    history.add(query(2, 'a', 0), 0)
    for (const id of ['a', 'b', 'c']) history.add(query(1, id, 0), 0)
    expect([1, 2].map((project) => history.find(project, 'a', 0) !== undefined)).toEqual([false, true])
    expect(history.find(1, 'c', 0)).toBeDefined()
  })

  it('forgets a query when it expires', () => {
    const history = open({ maxQueries: 3, maxResultBytes: 100 })
    history.add(query(1, 'a', 100), 0)
    expect(history.find(1, 'a', LIFETIME - 1)).toBeDefined()
    expect(history.find(1, 'a', LIFETIME)).toBeUndefined()
    // Its bytes are free.
    history.removeExpired(LIFETIME)
    history.add(query(2, 'b', 100, LIFETIME), LIFETIME)
    expect(history.find(2, 'b', LIFETIME)?.resultBytes).toBe(100)
  })

  it('replaces a query with the same id, and keeps projects apart', () => {
    const history = open({ maxQueries: 3, maxResultBytes: 100 })
    history.add(query(1, 'a', 60), 0)
    history.add(query(1, 'a', 70), 0)
    expect(history.find(1, 'a', 0)?.resultBytes).toBe(70)
    expect(history.find(2, 'a', 0)).toBeUndefined()
  })
})
