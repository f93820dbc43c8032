import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ToIndexer } from '../../../src/service/indexer/protocol.ts'
import type { QueryControl } from '../../../src/service/indexer/query-control.ts'
import { createQueryRegistry } from '../../../src/service/indexer/query-registry.ts'
import type { QueryRegistry } from '../../../src/service/indexer/query-registry.ts'

const ANSWER = { columns: ['1'], types: ['INTEGER'], rows: [[1]], hasMore: false }

describe('the queries in the indexer process', () => {
  let sent: ToIndexer[] = []
  let kills = 0
  let isBusy = false
  let isAvailable = true
  /** How much of the time the process has a processor. */
  let share = 1
  let queries: QueryRegistry
  beforeEach(() => {
    vi.useFakeTimers()
    sent = []
    kills = 0
    isBusy = false
    isAvailable = true
    share = 1
    queries = createQueryRegistry({
      send: (message) => sent.push(message),
      isAvailable: () => isAvailable,
      isBusy: () => isBusy,
      cpuMs: () => performance.now() * share,
      kill() {
        kills += 1
      },
    })
  })
  afterEach(() => vi.useRealTimers())

  const ask = (control?: QueryControl) =>
    queries.ask(1, 'query', { sql: 'SELECT 1', maxRows: 1, timeoutMs: 1000 }, control)

  it('answers each query with the message that has its id', async () => {
    const [first, second] = [ask(), ask()]
    expect(sent).toMatchObject([
      { type: 'query', id: 1, projectId: 1, name: 'query' },
      { type: 'query', id: 2, projectId: 1, name: 'query' },
    ])
    queries.onMessage({ type: 'query_error', id: 2, code: 'invalid', detail: 'No such table.' })
    queries.onMessage({ type: 'query_result', id: 1, result: ANSWER })
    await expect(first).resolves.toEqual(ANSWER)
    await expect(second).rejects.toMatchObject({ code: 'invalid', message: 'No such table.' })
    expect(queries.count()).toBe(0)
  })

  it('forwards the progress of a query, and asks the process to cancel it', async () => {
    const canceller = new AbortController()
    const onProgress = vi.fn()
    const query = ask({ signal: canceller.signal, onProgress })
    const progress = { rowsRead: 5, rowsTotal: 10 } as never
    queries.onMessage({ type: 'query_progress', id: 1, progress })
    expect(onProgress.mock.calls).toEqual([[progress]])
    canceller.abort()
    expect(sent.at(-1)).toEqual({ type: 'cancel', id: 1 })
    queries.onMessage({ type: 'query_error', id: 1, code: 'cancelled', detail: 'The query was cancelled.' })
    await expect(query).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('refuses a query that was cancelled before, and one that no process takes', async () => {
    await expect(ask({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
    isAvailable = false
    await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect([sent, queries.count()]).toEqual([[], 0])
  })

  it('rejects all queries when the process ends', async () => {
    const all = Promise.allSettled([ask(), ask()])
    queries.rejectAll('The indexer process ended (SIGKILL).')
    const reason = { code: 'store_unavailable', message: 'The indexer process ended (SIGKILL). Try the query again.' }
    expect(await all).toMatchObject([{ reason }, { reason }])
    expect(queries.count()).toBe(0)
  })

  it('rejects a query two seconds after its timeout, and has it ended eight seconds later', async () => {
    const query = expect(ask()).rejects.toMatchObject({ code: 'timeout' })
    vi.advanceTimersByTime(3000)
    await query
    expect(queries.count()).toBe(1)
    vi.advanceTimersByTime(7999)
    expect(kills).toBe(0)
    vi.advanceTimersByTime(1)
    expect(kills).toBe(1)
  })

  it('has no process killed that stops the query by itself', async () => {
    const query = expect(ask()).rejects.toMatchObject({ code: 'timeout' })
    vi.advanceTimersByTime(3000)
    await query
    queries.onMessage({ type: 'query_error', id: 1, code: 'timeout', detail: '' })
    vi.advanceTimersByTime(60_000)
    expect([kills, queries.count()]).toEqual([0, 0])
  })

  it('gives a query more time when its process gets little of the processors', async () => {
    share = 0.5
    const query = expect(ask()).rejects.toMatchObject({ code: 'timeout' })
    vi.advanceTimersByTime(3000 + 15_000)
    await query
    expect(kills).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(kills).toBe(1)
  })

  it('ends a query that waits without processor time after 38 seconds', async () => {
    share = 0
    const query = expect(ask()).rejects.toMatchObject({ code: 'timeout' })
    vi.advanceTimersByTime(3000 + 37_000)
    await query
    expect(kills).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(kills).toBe(1)
  })

  it('gives a process 30 seconds that is busy with something else', async () => {
    isBusy = true
    const query = expect(ask()).rejects.toMatchObject({ code: 'timeout' })
    vi.advanceTimersByTime(3000 + 8000 + 29_000)
    await query
    expect(kills).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(kills).toBe(1)
  })
})
