import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { QueryRequest } from '../../../src/service/indexer/indexer.ts'
import type { QueryControl } from '../../../src/service/indexer/query-control.ts'
import type { QueryResult } from '../../../src/service/indexer/query-result.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { createQueries } from '../../../src/service/query/queries.ts'
import { createSqlWork } from '../../../src/service/query/query-work.ts'
import type { NewQuery } from '../../../src/service/query/queries.ts'
import { createMemoryIndexer } from '../support/memory-indexer.ts'

/** A query that the indexer runs until the test ends it. */
interface RunningQuery {
  readonly request: QueryRequest
  readonly control: QueryControl
  readonly resolve: (rows?: readonly (readonly unknown[])[]) => void
  readonly reject: (error: Error) => void
}

const MINUTE_MS = 60_000
const NEVER = new AbortController().signal

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const open = ({ maxResultBytes = 1000 } = {}) => {
  const running: RunningQuery[] = []
  const indexer = createMemoryIndexer(
    (request, control = {}) =>
      new Promise<QueryResult>((resolve, reject) => {
        running.push({
          request,
          control,
          resolve: (rows = [[1]]) => resolve({ columns: ['n'], types: ['INTEGER'], rows, hasMore: false }),
          reject,
        })
      }),
  )
  const errors: unknown[] = []
  const queries = createQueries({
    indexer,
    timeoutMs: 30_000,
    maxResultBytes,
    now: Date.now,
    onError: (error) => errors.push(error),
  })
  const query = (fields: Partial<NewQuery> = {}): NewQuery => ({
    projectId: 1,
    work: createSqlWork('select 1', 10),
    id: null,
    name: null,
    ...fields,
  })
  const start = (fields?: Partial<NewQuery>) => queries.start(query(fields))
  const run = (fields?: Partial<NewQuery>, signal: AbortSignal = NEVER) => queries.run(query(fields), signal)
  const find = (id: string, projectId = 1) => queries.find(projectId, id)
  /** Runs what has become due. */
  const settle = () => vi.advanceTimersByTimeAsync(0)
  return { queries, query, indexer, running, errors, start, run, find, settle }
}

describe('a job', () => {
  it('runs at once, tells how far it is, and keeps its result', async () => {
    const { start, find, running, settle } = open()
    const { id } = start({ name: 'report' })
    expect(running[0]!.request).toEqual({ projectId: 1, sql: 'select 1', timeoutMs: 30_000, maxRows: 10 })
    running[0]!.control.onProgress!({ rowsRead: 5, estimatedRows: 10 })
    expect(find(id)).toMatchObject({
      name: 'report',
      isAsync: true,
      pickupTime: Date.now(),
      progress: { rowsRead: 5 },
      end: null,
    })
    running[0]!.resolve()
    await settle()
    const { end, progress } = find(id)!
    expect(progress).toBeNull()
    expect(end).toMatchObject({ error: null, time: Date.now(), expirationTime: Date.now() + 20 * MINUTE_MS })
    expect(JSON.parse(end!.resultJson!.toString())).toEqual({
      columns: ['n'],
      types: ['INTEGER'],
      results: [[1]],
      hasMore: false,
    })
  })

  it('ends with the error of the query, also when the indexer ends', async () => {
    const { start, find, running, settle } = open()
    const { id } = start()
    running[0]!.reject(new QueryError('store_unavailable', 'The indexer process ended (SIGKILL). Try the query again.'))
    await settle()
    expect(find(id)!.end).toMatchObject({ error: { code: 'store_unavailable' }, resultJson: null })
  })

  it('reports an unexpected failure to the log, and frees its slot', async () => {
    const { start, find, running, errors, settle } = open()
    const { id } = start()
    running[0]!.reject(new Error('A bug.'))
    await settle()
    expect(find(id)!.end!.error).toMatchObject({ code: 'store_unavailable' })
    expect(errors).toEqual([new Error('A bug.')])
    for (let count = 0; count < 2; count++) start()
    expect(running).toHaveLength(3)
  })

  it('reports an answer that cannot be JSON, and frees its slot', async () => {
    const { start, find, running, errors, settle } = open()
    const { id } = start()
    running[0]!.resolve([[1n]])
    await settle()
    expect(find(id)!.end!.error).toMatchObject({ code: 'store_unavailable' })
    expect(errors).toEqual([expect.any(TypeError)])
    for (let count = 0; count < 2; count++) start()
    expect(running).toHaveLength(3)
  })

  it('that is started once stands for the same work until it has ended', async () => {
    const { queries, query, start, running, settle } = open()
    const startOnce = (fields?: Partial<NewQuery>) => queries.startOnce(query(fields)).id
    const first = startOnce()
    expect(startOnce()).toBe(first)
    expect(startOnce({ projectId: 2 })).not.toBe(first)
    expect(startOnce({ work: createSqlWork('select 2', 10) })).not.toBe(first)
    expect(start().id).not.toBe(first)
    running[0]!.resolve()
    await settle()
    expect(startOnce()).not.toBe(first)
  })

  it('is forgotten when it expires, and unknown to other projects', async () => {
    const { start, find, queries, running, settle } = open()
    const { id } = start()
    expect([find(id, 2), queries.cancel(2, id)]).toEqual([null, false])
    running[0]!.resolve()
    await settle()
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS - 1)
    expect(find(id)).not.toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    expect([find(id), queries.cancel(1, id)]).toEqual([null, false])
  })

  it('loses its result to newer ones, and says so', async () => {
    const { start, find, running, settle } = open({ maxResultBytes: 150 })
    const ids = [start(), start()].map(({ id }) => id)
    for (const { resolve } of running) resolve([['x'.repeat(50)]])
    await settle()
    expect(find(ids[0]!)!.end).toMatchObject({
      resultJson: null,
      error: { code: 'result_removed', message: expect.stringContaining('at most 150 bytes of results') },
    })
    expect(find(ids[1]!)!.end).toMatchObject({ error: null })
  })

  it('is started once, however often its request is repeated with the same id', async () => {
    const { start, running, settle } = open()
    const job = start({ id: 'mine' })
    expect(start({ id: 'mine' })).toMatchObject({ id: 'mine', startTime: job.startTime })
    running[0]!.resolve()
    await settle()
    expect(start({ id: 'mine' }).end).toMatchObject({ error: null })
    expect(running).toHaveLength(1)
    expect(() => start({ id: 'mine', work: createSqlWork('select 2', 10) })).toThrow('has the id "mine"')
    expect(start({ id: 'mine', projectId: 2 }).end).toBeNull()
  })
})

describe('a cancellation', () => {
  it('ends a running query at once, and frees its slot when the indexer has stopped it', async () => {
    const { start, find, queries, running, settle } = open()
    const [first, , third] = [start(), start(), start()]
    expect(running).toHaveLength(2)
    expect(queries.cancel(1, first.id)).toBe(true)
    expect(find(first.id)!.end).toMatchObject({ error: { code: 'cancelled' } })
    expect(running[0]!.control.signal!.aborted).toBe(true)
    await settle()
    expect(find(third.id)!.pickupTime).toBeNull()
    running[0]!.reject(new QueryError('cancelled', 'The query was cancelled.'))
    await settle()
    expect(find(third.id)!.pickupTime).not.toBeNull()
    expect(queries.cancel(1, first.id)).toBe(true)
  })

  it('ends a waiting query, which never runs', async () => {
    const { start, find, queries, running, settle } = open()
    const [, , third] = [start(), start(), start()]
    queries.cancel(1, third.id)
    for (const { resolve } of running) resolve()
    await settle()
    expect(running).toHaveLength(2)
    expect(find(third.id)).toMatchObject({ pickupTime: null, end: { error: { code: 'cancelled' } } })
  })

  it('changes nothing about a query that has ended', async () => {
    const { start, find, queries, running, settle } = open()
    const { id } = start()
    running[0]!.resolve()
    await settle()
    expect(queries.cancel(1, id)).toBe(true)
    expect(find(id)!.end).toMatchObject({ error: null })
  })
})

describe('a query with a waiting client', () => {
  it('resolves to its rows, and is remembered without them', async () => {
    const { run, find, running } = open()
    const result = run()
    running[0]!.resolve()
    const { job, answer } = await result
    expect(answer).toMatchObject({ results: [[1]] })
    expect(find(job.id)).toMatchObject({ isAsync: false, end: { error: null, resultJson: null } })
  })

  it('may have the id of an earlier one that was answered, and no other', async () => {
    const { run, start, running, settle } = open()
    for (let count = 0; count < 2; count++) {
      const result = run({ id: 'mine' })
      await expect(run({ id: 'mine' })).rejects.toMatchObject({ code: 'id_in_use' })
      running[count]!.resolve()
      await result
    }
    expect(() => start({ id: 'mine' })).toThrow('has the id "mine"')
    start({ id: 'job' })
    running[2]!.resolve()
    await settle()
    await expect(run({ id: 'job' })).rejects.toMatchObject({ code: 'id_in_use' })
  })

  it('is cancelled when the client leaves, also before it began', async () => {
    const { run, running } = open()
    const leaving = new AbortController()
    const result = run({}, leaving.signal)
    leaving.abort()
    await expect(result).rejects.toMatchObject({ code: 'cancelled' })
    expect(running[0]!.control.signal!.aborted).toBe(true)
    await expect(run({}, leaving.signal)).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('waits at most 20 seconds for a slot', async () => {
    const { run, start, find, running, settle } = open()
    const jobs = [start(), start(), start()]
    const result = run().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await result).toMatchObject({ code: 'service_busy' })
    // A job goes on waiting, and nothing took its slot.
    running[0]!.resolve()
    await settle()
    expect(find(jobs[2]!.id)!.pickupTime).not.toBeNull()
  })
})

describe('the slots', () => {
  it('are two of eight per project, so that projects do not hold up each other', () => {
    const { start, running } = open()
    for (const projectId of [1, 2, 3, 4, 5]) for (let count = 0; count < 10; count++) start({ projectId })
    expect(running.map(({ request }) => request.projectId)).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
  })

  it('refuse more than 50 waiting queries of a project', () => {
    const { start } = open()
    for (let count = 0; count < 52; count++) start()
    expect(() => start()).toThrow(expect.objectContaining({ code: 'project_busy' }))
    expect(start({ projectId: 2 }).pickupTime).toBeDefined()
  })

  it('are given to nobody while the indexer is restarted, and to those who wait afterwards', async () => {
    const { start, find, indexer, running } = open()
    indexer.fail('It is restarted.')
    const { id } = start()
    await vi.advanceTimersByTimeAsync(5000)
    expect(running).toHaveLength(0)
    indexer.fail(null)
    await vi.advanceTimersByTimeAsync(200)
    expect(running).toHaveLength(1)
    expect(find(id)!.pickupTime).not.toBeNull()
  })
})

it('ends everything when the service stops', async () => {
  const { queries, start, run, running } = open()
  start()
  const result = run()
  queries.close()
  await expect(result).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(running.every(({ control }) => control.signal!.aborted)).toBe(true)
  expect(() => start()).toThrow('The service is stopping.')
  expect(vi.getTimerCount()).toBe(0)
})
