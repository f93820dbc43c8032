import { expect, test } from 'vitest'
import { createHealthCheck } from '../../src/service/health.ts'
import { NO_LOSSES } from '../../src/service/ingest/event-losses.ts'
import type { Inbox } from '../../src/service/store/inbox/inbox.ts'
import { openMetadata } from '../../src/service/store/metadata/open.ts'
import { openTestMetadata } from './support/open-test-metadata.ts'
import { createMemoryIndexer } from './support/memory-indexer.ts'
import { createTempFolder } from './support/temp-folder.ts'
import { join } from 'node:path'

/** No request bodies are in memory, and no events were lost. */
const idleBodies = {
  bodyBudget: { usedBytes: () => 0, limitBytes: 1 },
  bodyReader: { pendingCount: () => 0 },
  lossReporter: { totals: () => NO_LOSSES },
}

test('checks the disk at most once a second, and the backlog at every call', async () => {
  const metadata = await openMetadata(join(createTempFolder(), 'metadata.sqlite'))
  let probes = 0
  let rows = 0
  const inbox = {
    probe: () => void probes++,
    backlogAfter: () => ({ rows, events: rows * 10, oldestReceivedAt: rows ? 400 : null }),
  } as unknown as Inbox
  let now = 1_000
  const check = createHealthCheck({ inbox, metadata, indexer: createMemoryIndexer(), ...idleBodies, now: () => now })

  expect(await check()).toMatchObject({ status: 'ok', indexer: { behindRows: 0, behindSeconds: 0 } })
  rows = 3
  now = 1_900
  expect((await check()).indexer).toEqual({ behindEvents: 30, behindRows: 3, behindSeconds: 1.5, rejected: 0 })
  expect(probes).toBe(1)
  now = 2_000
  await check()
  expect(probes).toBe(2)
  await metadata.destroy()
})

test('reports a failing store when no row was stored for 30 seconds', async () => {
  const metadata = await openTestMetadata()
  let oldestReceivedAt: number | null = null
  const inbox = {
    probe: () => undefined,
    backlogAfter: () => ({ rows: oldestReceivedAt === null ? 0 : 1, events: 1, oldestReceivedAt }),
  } as unknown as Inbox
  const indexer = createMemoryIndexer()
  let now = 1_000_000
  const check = createHealthCheck({ inbox, metadata, indexer, ...idleBodies, now: () => now })

  // An hour without requests is no stall.
  now += 3_600_000
  oldestReceivedAt = now - 29_000
  expect((await check()).status).toBe('ok')
  // Rows wait, but the indexer makes progress.
  indexer.moveTo(1)
  now += 29_000
  expect((await check()).status).toBe('ok')
  now += 30_000
  expect(await check()).toMatchObject({
    status: 'failing',
    store: { ok: false, detail: 'Events wait, but the indexer has stored none for 30 seconds.' },
  })
  indexer.moveTo(2)
  expect((await check()).status).toBe('ok')
  await metadata.destroy()
})

test('says how far a move of the events is, which is no failure, though events wait for long', async () => {
  const metadata = await openTestMetadata()
  const notice = 'The events are being moved to ClickHouse.'
  const indexer = createMemoryIndexer()
  let moving: string | null = notice
  const inbox = {
    probe: () => undefined,
    backlogAfter: () => ({ rows: 1, events: 1, oldestReceivedAt: 0 }),
  } as unknown as Inbox
  let now = 1_000_000
  const check = createHealthCheck({
    inbox,
    metadata,
    indexer: { ...indexer, status: () => ({ ...indexer.status(), moving }) },
    ...idleBodies,
    now: () => now,
  })
  now += 3_600_000
  expect(await check()).toMatchObject({ status: 'ok', store: { ok: true, detail: notice } })
  // The indexer begins to store them.
  moving = null
  now += 29_000
  expect((await check()).status).toBe('ok')
  now += 2_000
  expect((await check()).status).toBe('failing')
  await metadata.destroy()
})
