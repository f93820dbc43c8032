import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueryQueue } from '../../../src/service/query/query-queue.ts'
import type { QueryQueueLimits } from '../../../src/service/query/query-queue.ts'

const LIMITS: QueryQueueLimits = { maxRunning: 4, maxRunningPerProject: 2, maxWaiting: 6, maxWaitingPerProject: 3 }

interface TestQuery {
  readonly projectId: number
  readonly number: number
}

const projectId = fc.integer({ min: 1, max: 5 })
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), projectId }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('next' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), index: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), index: fc.nat(100) }) },
)

/** Runs commands on a queue beside plain lists of what waits and runs, and calls `check` after each. */
const play = (
  commands: readonly (typeof command extends fc.Arbitrary<infer Command> ? Command : never)[],
  check: (state: {
    readonly waiting: readonly TestQuery[]
    readonly running: readonly TestQuery[]
    /** What `next` returned; null after another command. */
    readonly served: TestQuery | undefined | null
    readonly wait: () => number
  }) => void,
): void => {
  const queue = createQueryQueue<TestQuery>(LIMITS)
  let waiting: TestQuery[] = []
  let running: TestQuery[] = []
  for (const [number, each] of commands.entries()) {
    let served: TestQuery | undefined | null = null
    if (each.kind === 'add') {
      const query = { projectId: each.projectId, number }
      if (queue.add(each.projectId, query) === 'added') waiting.push(query)
    } else if (each.kind === 'next') {
      served = queue.next()
      const taken = served
      waiting = waiting.filter((query) => query !== taken)
      if (taken !== undefined) running.push(taken)
    } else if (each.kind === 'release' && running.length > 0) {
      const ended = running[each.index % running.length]!
      running = running.filter((query) => query !== ended)
      queue.release(ended.projectId)
    } else if (each.kind === 'remove' && waiting.length > 0) {
      const removed = waiting[each.index % waiting.length]!
      waiting = waiting.filter((query) => query !== removed)
      expect(queue.remove(removed.projectId, removed)).toBe(true)
      expect(queue.remove(removed.projectId, removed)).toBe(false)
    }
    check({ waiting, running, served, wait: queue.waiting })
  }
}

const of = (project: number, queries: readonly TestQuery[]): readonly TestQuery[] =>
  queries.filter((query) => query.projectId === project)

describe('the queue of queries', () => {
  it('never runs or holds more than its limits, and counts what waits', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        play(commands, ({ waiting, running, wait }) => {
          expect(running.length).toBeLessThanOrEqual(LIMITS.maxRunning)
          expect(wait()).toBe(waiting.length)
          // The first waiting query of each of the five projects is accepted beyond the limit.
          expect(waiting.length).toBeLessThanOrEqual(LIMITS.maxWaiting + 5)
          for (const project of [1, 2, 3, 4, 5]) {
            expect(of(project, running).length).toBeLessThanOrEqual(LIMITS.maxRunningPerProject)
            expect(of(project, waiting).length).toBeLessThanOrEqual(LIMITS.maxWaitingPerProject)
          }
        })
      }),
    )
  })

  it('leaves no slot free while a query can run, and keeps the order of a project', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        play(commands, ({ waiting, running, served }) => {
          if (served === null) return
          if (served !== undefined) {
            expect(of(served.projectId, waiting).every(({ number }) => number > served.number)).toBe(true)
            return
          }
          const canRun = waiting.filter((query) => of(query.projectId, running).length < LIMITS.maxRunningPerProject)
          expect(running.length === LIMITS.maxRunning || canRun.length === 0).toBe(true)
        })
      }),
    )
  })

  it('gives a slot to a project that runs nothing before one that does', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        play(commands, ({ waiting, running, served }) => {
          if (served === null || served === undefined) return
          const others = of(served.projectId, running).length - 1
          for (const query of waiting) {
            const isFull = of(query.projectId, running).length >= LIMITS.maxRunningPerProject
            if (query.projectId !== served.projectId && !isFull)
              expect(of(query.projectId, running).length).toBeGreaterThanOrEqual(others)
          }
        })
      }),
    )
  })

  it('lets projects take turns', () => {
    const queue = createQueryQueue<string>({ ...LIMITS, maxRunning: 1, maxRunningPerProject: 1, maxWaiting: 100 })
    for (const query of ['a1', 'a2', 'a3']) queue.add(1, query)
    for (const query of ['b1', 'b2']) queue.add(2, query)
    queue.add(3, 'c1')
    const order: (string | undefined)[] = []
    for (let query = queue.next(); query !== undefined; query = queue.next()) {
      order.push(query)
      queue.release({ a: 1, b: 2, c: 3 }[query[0]!]!)
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('says whether the project or the service has too many, and accepts the first of a project nevertheless', () => {
    const queue = createQueryQueue<string>({ ...LIMITS, maxWaiting: 4 })
    expect(['a', 'b', 'c', 'd'].map((query) => queue.add(1, query))).toEqual([
      'added',
      'added',
      'added',
      'project_full',
    ])
    expect([queue.add(2, 'e'), queue.add(2, 'f'), queue.add(3, 'g')]).toEqual(['added', 'service_full', 'added'])
  })

  it('refuses to release a slot that no query has', () => {
    expect(() => createQueryQueue(LIMITS).release(1)).toThrow('runs no query')
  })
})
