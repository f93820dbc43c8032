import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canMount, mountMemoryDisk } from '../support/disk.ts'
import type { Disk } from '../support/disk.ts'
import { startLoad } from '../support/load.ts'
import {
  expectStoredOnce,
  readHealth,
  MANY_ROWS_ARGS,
  expectStartFailure,
  sendBatch,
} from '../support/service-faults.ts'
import { listChildPids, eventually, parseKeys, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

// These tests need a small disk of their own, and only root can mount one.
const testOnDisk = test.skipIf(!canMount)

/** Creates a data folder of which one file or folder, or everything, is on a small separate disk. */
const createFolder = (
  onDisk: 'all' | 'inbox.sqlite' | 'metadata.sqlite' | 'events',
): { folder: string; disk: Disk } => {
  // Everything on one disk needs room for all events that a busy machine acknowledges before the disk is full.
  const disk = mountMemoryDisk(onDisk === 'all' ? 64 : 24)
  if (onDisk === 'all') return { folder: join(disk.path, 'data'), disk }
  const folder = createTempFolder()
  // SQLite puts its log beside the target of a symbolic link; DuckDB puts its files into the linked folder.
  symlinkSync(onDisk === 'events' ? disk.path : join(disk.path, onDisk), join(folder, onDisk))
  return { folder, disk }
}

/** Sends events until the full disk has refused many, frees space, and expects that the same process continues. */
const expectRecovery = async (folder: string, disk: Disk): Promise<void> => {
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const before = await sendBatch(service.url, apiKey, [{ event: 'before' }])
  const pids = listChildPids(service.pid)
  disk.fill()
  const load = startLoad(service.url, apiKey, 4, 100)
  await eventually(() => (load.statuses.get(503) ?? 0) > 20)
  const refused = await sendBatch(service.url, apiKey, [{ event: 'refused', properties: { text: 'x'.repeat(1e6) } }])
  expect(refused).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(refused.body)).toMatchObject({ type: 'server_error', code: 'inbox_unavailable', attr: null })
  expect(await readHealth(service.url)).toMatchObject({ status: 503, inbox: { ok: false } })
  await load.stop()
  expect([...load.statuses.keys()].toSorted((a, b) => a - b)).toEqual(
    [200, 503].filter((code) => load.statuses.has(code)),
  )

  disk.freeSpace()
  await eventually(async () => (await sendBatch(service.url, apiKey, [{ event: 'after' }])).status === 200)
  await expectStoredOnce(service.url, personalApiKey, [...before.uuids, ...load.acknowledged])
  // No process was restarted, and the log does not repeat every refusal.
  expect(listChildPids(service.pid)).toEqual(pids)
  expect(service.output().match(/database or disk is full/g)!.length).toBeLessThan(10)
}

testOnDisk('responds 503 while the inbox disk is full, then recovers without loss', async () => {
  const { folder, disk } = createFolder('inbox.sqlite')
  await expectRecovery(folder, disk)
})

testOnDisk('responds 503 while the data disk is full, then recovers without loss', async () => {
  const { folder, disk } = createFolder('all')
  await expectRecovery(folder, disk)
})

testOnDisk('accepts events while the event store disk is full, and stores them later', async () => {
  const { folder, disk } = createFolder('events')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const first = await sendBatch(service.url, apiKey, [{ event: 'before' }])
  await expectStoredOnce(service.url, personalApiKey, first.uuids)
  disk.fill()
  const load = startLoad(service.url, apiKey, 4, 100)
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  const { store, inbox } = await readHealth(service.url)
  expect(store.detail).toContain(
    'Events wait in the inbox; they are stored automatically once the disk has free space.',
  )
  expect(inbox.ok).toBe(true)
  await load.stop()
  expect([...load.statuses.keys()]).toEqual([200])

  disk.freeSpace()
  await expectStoredOnce(service.url, personalApiKey, [...first.uuids, ...load.acknowledged])
})

testOnDisk('accepts events but refuses changes while the metadata disk is full', async () => {
  const { folder, disk } = createFolder('metadata.sqlite')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const first = await sendBatch(service.url, apiKey, [{ event: 'before' }])
  await expectStoredOnce(service.url, personalApiKey, first.uuids)
  disk.fill()
  const people = Array.from({ length: 400 }, (_, n) => ({
    event: '$identify',
    distinct_id: `user-${n}`,
    properties: { $set: { text: 'x'.repeat(1000) } },
  }))
  const identified = await sendBatch(service.url, apiKey, people)
  expect(identified.status).toBe(200)
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  expect((await readHealth(service.url)).store.detail).toContain('once the disk has free space')
  const change = await fetch(`${service.url}/api/environments/1/feature_flags/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ key: 'big', filters: { groups: [{}] }, note: 'x'.repeat(500_000) }),
  })
  expect(change.status).toBe(503)
  expect(change.headers.get('retry-after')).toBe('5')
  expect(await change.json()).toMatchObject({ type: 'server_error', code: 'metadata_unavailable' })

  disk.freeSpace()
  await expectStoredOnce(service.url, personalApiKey, [...first.uuids, ...identified.uuids])
})

testOnDisk('refuses to start on a full disk, and loses nothing', async () => {
  const { folder, disk } = createFolder('all')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const { uuids } = await sendBatch(service.url, apiKey, [{ event: 'before' }])
  expect(await service.end('SIGTERM')).toBe(0)
  disk.fill()
  expect(await expectStartFailure(folder)).toMatch(/(full|no space left).*Free disk space, then start again\./i)
  disk.freeSpace()
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(restarted.url, personalApiKey, uuids)
})
