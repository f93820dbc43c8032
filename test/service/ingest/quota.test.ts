import { expect, onTestFinished, test, vi } from 'vitest'
import type { QueryRequest } from '../../../src/service/indexer/indexer.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { startQuota } from '../../../src/service/ingest/quota.ts'

const project = { id: 7, name: 'Shop', apiKey: 'wm_x', eventQuota: 100 }
const NOVEMBER = Date.UTC(2026, 10, 20, 12)

/** A quota whose project has stored so many events, and the queries that it made. */
const open = (stored: () => number) => {
  vi.useFakeTimers()
  const state = { now: NOVEMBER, position: 0, queries: [] as QueryRequest[], warnings: [] as string[] }
  const quota = startQuota({
    indexer: {
      query: (request) => {
        state.queries.push(request)
        return Promise.resolve({ columns: ['n'], types: ['BIGINT'], rows: [[stored()]], hasMore: false })
      },
      status: () => ({ alive: true, position: state.position, failure: null, rejected: 0 }),
    },
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
    isUsedUp: (eventQuota: number | null = 100) => quota.isUsedUp({ ...project, eventQuota }, state.now),
  }
}

test('knows nothing until the first answer, then whether as much as the quota is stored', async () => {
  let stored = 99
  const { quota, state, isUsedUp } = open(() => stored)
  expect(isUsedUp()).toBe(false)
  await vi.advanceTimersByTimeAsync(0)
  expect(isUsedUp()).toBe(false)
  quota.taken(project, 1)
  stored = 100
  state.position = 1
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isUsedUp()).toBe(true)
  expect(isUsedUp(101)).toBe(false)
  expect(isUsedUp(null)).toBe(false)
})

test('counts what was received in this month and is no history', async () => {
  const { state, isUsedUp } = open(() => 0)
  isUsedUp()
  await vi.advanceTimersByTimeAsync(0)
  expect(state.queries).toEqual([
    {
      projectId: 7,
      sql: "select count(*) from events where received_at >= timestamptz '2026-11-01T00:00:00.000Z' and not historical",
      timeoutMs: 10_000,
      maxRows: 1,
    },
  ])
})

test('asks nothing for a project without a quota, and nothing new while nothing new is stored', async () => {
  const { quota, state, isUsedUp } = open(() => 5)
  isUsedUp(null)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(state.queries).toHaveLength(0)
  isUsedUp()
  quota.taken(project, 3)
  await vi.advanceTimersByTimeAsync(30_000)
  // Row 3 is not yet stored: each round looks again.
  expect(state.queries).toHaveLength(4)
  state.position = 3
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.queries).toHaveLength(5)
})

test('takes events again with the next month', async () => {
  const { quota, state, isUsedUp } = open(() => 100)
  isUsedUp()
  await vi.advanceTimersByTimeAsync(0)
  expect(isUsedUp()).toBe(true)
  state.now = Date.UTC(2026, 11, 1)
  expect(isUsedUp()).toBe(false)
  quota.taken(project, 9)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(state.queries.at(-1)!.sql).toContain('2026-12-01')
  expect(isUsedUp()).toBe(true)
})

test('warns once a month', async () => {
  const { state, isUsedUp } = open(() => 150)
  isUsedUp()
  await vi.advanceTimersByTimeAsync(0)
  for (let times = 0; times < 3; times++) expect(isUsedUp()).toBe(true)
  expect(state.warnings).toEqual([
    'Project 7 has used up its quota of 100 events a month (150 are stored). New ones are refused until 2026-12-01, or until "project quota" gives it more; historical migrations are taken.',
  ])
})

test('asks again in the next round after a failure, and keeps what it knew', async () => {
  let isFailing = false
  const { quota, isUsedUp } = open(() => {
    if (isFailing) throw new QueryError('store_unavailable', 'The event store could not be opened.')
    return 100
  })
  isUsedUp()
  await vi.advanceTimersByTimeAsync(0)
  isFailing = true
  quota.taken(project, 1)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(isUsedUp()).toBe(true)
})

test('looks until the newest row is stored, whatever order rows are told in', async () => {
  const { quota, state, isUsedUp } = open(() => 5)
  isUsedUp()
  quota.taken(project, 9)
  quota.taken(project, 3)
  state.position = 3
  await vi.advanceTimersByTimeAsync(30_000)
  expect(state.queries).toHaveLength(4)
})

test('asks nothing more once it is stopped in the middle of a round', async () => {
  const { quota, state, isUsedUp } = open(() => {
    if (state.queries.length === 2) quota.stop()
    return 5
  })
  isUsedUp()
  quota.taken(project, 1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.queries).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})
