import { expect, onTestFinished, test, vi } from 'vitest'
import type { QueryRequest } from '../../../src/service/indexer/indexer.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { startQuotaTracker } from '../../../src/service/ingest/quota-tracker.ts'
import { duckDbEngine } from '../../../src/service/store/events/duckdb/question/duckdb-engine.ts'

const project = { id: 7, name: 'Shop', apiKey: 'wm_x', eventQuota: 100 }
const NOVEMBER = Date.UTC(2026, 10, 20, 12)

/** A quota tracker whose project has `stored()` events; `state` has the queries it made. */
const open = (stored: () => number) => {
  vi.useFakeTimers()
  const state = { now: NOVEMBER, position: 0, queries: [] as QueryRequest[], warnings: [] as string[] }
  const quota = startQuotaTracker({
    indexer: {
      query: (request) => {
        state.queries.push(request)
        return Promise.resolve({ columns: ['n'], types: ['BIGINT'], rows: [[stored()]], hasMore: false })
      },
      status: () => ({
        alive: true,
        isBeingReplaced: false,
        moving: null,
        notice: null,
        position: state.position,
        failure: null,
        rejected: 0,
      }),
    },
    engine: duckDbEngine,
    now: () => state.now,
    onWarning: (message) => state.warnings.push(message),
  })
  onTestFinished(() => {
    quota.stop()
    vi.useRealTimers()
  })
  return {
    quota,
    state,
    isExceeded: (eventQuota: number | null = 100) => quota.isExceeded({ ...project, eventQuota }, state.now),
  }
}

test('reports the quota as exceeded only after a count has reached it', async () => {
  let stored = 99
  const { quota, state, isExceeded } = open(() => stored)
  expect(isExceeded()).toBe(false)
  await vi.advanceTimersByTimeAsync(0)
  expect(isExceeded()).toBe(false)
  quota.recordRow(project, 1)
  stored = 100
  state.position = 1
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isExceeded()).toBe(true)
  expect(isExceeded(101)).toBe(false)
  expect(isExceeded(null)).toBe(false)
})

test('counts the events received this month except migrations', async () => {
  const { state, isExceeded } = open(() => 0)
  isExceeded()
  await vi.advanceTimersByTimeAsync(0)
  expect(state.queries).toEqual([
    {
      projectId: 7,
      sql: `select count(*) from events where received_at >= ${duckDbEngine.time(Date.UTC(2026, 10, 1))} and not historical`,
      timeoutMs: 10_000,
      maxRows: 1,
    },
  ])
})

test('does not query without a quota, or while the indexer stores no new rows', async () => {
  const { quota, state, isExceeded } = open(() => 5)
  isExceeded(null)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(state.queries).toHaveLength(0)
  isExceeded()
  quota.recordRow(project, 3)
  await vi.advanceTimersByTimeAsync(30_000)
  // Row 3 is not yet stored, so every interval counts again.
  expect(state.queries).toHaveLength(4)
  state.position = 3
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.queries).toHaveLength(5)
})

test('reports the quota as not exceeded at the start of the next month', async () => {
  const { quota, state, isExceeded } = open(() => 100)
  isExceeded()
  await vi.advanceTimersByTimeAsync(0)
  expect(isExceeded()).toBe(true)
  state.now = Date.UTC(2026, 11, 1)
  expect(isExceeded()).toBe(false)
  quota.recordRow(project, 9)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(state.queries.at(-1)!.sql).toContain(duckDbEngine.time(Date.UTC(2026, 11, 1)))
  expect(isExceeded()).toBe(true)
})

test('warns once a month about an exceeded quota', async () => {
  const { state, isExceeded } = open(() => 150)
  isExceeded()
  await vi.advanceTimersByTimeAsync(0)
  for (let times = 0; times < 3; times++) expect(isExceeded()).toBe(true)
  expect(state.warnings).toEqual([
    'Project 7 has used up its quota of 100 events a month (150 are stored). New events are rejected until 2026-12-01, or until "waymark-service project quota" raises the quota; historical migrations are still accepted.',
  ])
})

test('keeps the last count when a query for the count fails', async () => {
  let isFailing = false
  const { quota, isExceeded } = open(() => {
    if (isFailing) throw new QueryError('store_unavailable', 'The event store could not be opened.')
    return 100
  })
  isExceeded()
  await vi.advanceTimersByTimeAsync(0)
  isFailing = true
  quota.recordRow(project, 1)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(isExceeded()).toBe(true)
})

test('counts again until the row with the highest id is stored', async () => {
  const { quota, state, isExceeded } = open(() => 5)
  isExceeded()
  quota.recordRow(project, 9)
  quota.recordRow(project, 3)
  state.position = 3
  await vi.advanceTimersByTimeAsync(30_000)
  expect(state.queries).toHaveLength(4)
})

test('does not query after a stop during a count', async () => {
  const { quota, state, isExceeded } = open(() => {
    if (state.queries.length === 2) quota.stop()
    return 5
  })
  isExceeded()
  quota.recordRow(project, 1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.queries).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})
