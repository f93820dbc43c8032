import { expect, test } from 'vitest'
import { createHealthCheck } from '../../src/service/health.ts'
import type { Inbox } from '../../src/service/store/inbox/inbox.ts'
import { openMetadata } from '../../src/service/store/metadata/open.ts'
import { memoryIndexer } from './support/memory-indexer.ts'
import { tempFolder } from './support/temp-folder.ts'
import { join } from 'node:path'

/** No request is being read. */
const idle = { bodyBudget: { usedBytes: () => 0, limitBytes: 1 }, bodyReader: { waiting: () => 0 } }

test('tries the disk once per second, but always counts how far the indexer is behind', async () => {
  const metadata = await openMetadata(join(tempFolder(), 'metadata.sqlite'))
  let probes = 0
  let rows = 0
  const inbox = {
    probe: () => void probes++,
    backlogAfter: () => ({ rows, oldestReceivedAt: rows ? 400 : null }),
  } as unknown as Inbox
  let now = 1_000
  const check = createHealthCheck({ inbox, metadata, indexer: memoryIndexer(), ...idle, now: () => now })

  expect(await check()).toMatchObject({ status: 'ok', indexer: { behindRows: 0, behindSeconds: 0 } })
  rows = 3
  now = 1_900
  expect((await check()).indexer).toEqual({ behindRows: 3, behindSeconds: 1.5, rejected: 0 })
  expect(probes).toBe(1)
  now = 2_000
  await check()
  expect(probes).toBe(2)
  await metadata.destroy()
})

test('says that the store fails when rows wait for 30 seconds and none of them gets on', async () => {
  const metadata = await openMetadata(':memory:')
  let oldestReceivedAt: number | null = null
  const inbox = {
    probe: () => undefined,
    backlogAfter: () => ({ rows: oldestReceivedAt === null ? 0 : 1, oldestReceivedAt }),
  } as unknown as Inbox
  const indexer = memoryIndexer()
  let now = 1_000_000
  const check = createHealthCheck({ inbox, metadata, indexer, ...idle, now: () => now })

  // A long rest is no hang.
  now += 3_600_000
  oldestReceivedAt = now - 29_000
  expect((await check()).status).toBe('ok')
  // Much waits, but it gets on.
  indexer.moveTo(1)
  now += 29_000
  expect((await check()).status).toBe('ok')
  now += 30_000
  expect(await check()).toMatchObject({
    status: 'failing',
    store: { ok: false, detail: 'Events wait and none was stored for 30 seconds.' },
  })
  indexer.moveTo(2)
  expect((await check()).status).toBe('ok')
  await metadata.destroy()
})
