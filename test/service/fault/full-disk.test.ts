import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mayMount, mountMemory } from '../support/disk.ts'
import type { Disk } from '../support/disk.ts'
import { startLoad } from '../support/load.ts'
import { expectEachOnce, healthOf, MANY_ROWS, refusedStart, sendBatch } from '../support/service-faults.ts'
import { childrenOf, eventually, keysIn, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

// Only root may mount: elsewhere these tests cannot run, because a disk cannot be made full for one process alone.
const onDisk = test.skipIf(!mayMount)

/** A data folder with one of its parts on a small disk of its own. */
const folderWith = (part: 'all' | 'inbox.sqlite' | 'metadata.sqlite' | 'events'): { folder: string; disk: Disk } => {
  const disk = mountMemory(24)
  if (part === 'all') return { folder: join(disk.path, 'data'), disk }
  const folder = tempFolder()
  // SQLite keeps its log beside the file that a link leads to, and DuckDB its files in the folder.
  symlinkSync(part === 'events' ? disk.path : join(disk.path, part), join(folder, part))
  return { folder, disk }
}

/** Sends until the disk refused often, makes room, and expects that the same process goes on. */
const expectRefusalsThenAll = async (folder: string, disk: Disk): Promise<void> => {
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const before = await sendBatch(service.url, apiKey, [{ event: 'before' }])
  const pids = childrenOf(service.pid)
  disk.fill()
  const load = startLoad(service.url, apiKey, 4, 100)
  await eventually(() => (load.statuses.get(503) ?? 0) > 20)
  const refused = await sendBatch(service.url, apiKey, [{ event: 'refused', properties: { text: 'x'.repeat(1e6) } }])
  expect(refused).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(refused.body)).toMatchObject({ type: 'server_error', code: 'inbox_unavailable', attr: null })
  expect(await healthOf(service.url)).toMatchObject({ status: 503, inbox: { ok: false } })
  await load.stop()
  expect([...load.statuses.keys()].toSorted((a, b) => a - b)).toEqual(
    [200, 503].filter((code) => load.statuses.has(code)),
  )

  disk.makeRoom()
  await eventually(async () => (await sendBatch(service.url, apiKey, [{ event: 'after' }])).status === 200)
  await expectEachOnce(service.url, personalApiKey, [...before.uuids, ...load.acknowledged])
  // No process was started again for it, and the log tells of refusals without repeating each.
  expect(childrenOf(service.pid)).toEqual(pids)
  expect(service.output().match(/SqliteError: database or disk is full/g)!.length).toBeLessThan(10)
}

onDisk(
  'answers 503 while the disk of the inbox is full, and has every acknowledged event once there is room',
  async () => {
    const { folder, disk } = folderWith('inbox.sqlite')
    await expectRefusalsThenAll(folder, disk)
  },
)

onDisk(
  'answers 503 while the disk of all data is full, and has every acknowledged event once there is room',
  async () => {
    const { folder, disk } = folderWith('all')
    await expectRefusalsThenAll(folder, disk)
  },
)

onDisk(
  'takes events while the disk of the column store is full, says so, and stores them once there is room',
  async () => {
    const { folder, disk } = folderWith('events')
    const service = await startService(folder, { args: MANY_ROWS })
    const { apiKey, personalApiKey } = keysIn(service.output())
    const first = await sendBatch(service.url, apiKey, [{ event: 'before' }])
    await expectEachOnce(service.url, personalApiKey, first.uuids)
    disk.fill()
    const load = startLoad(service.url, apiKey, 4, 100)
    await eventually(async () => !(await healthOf(service.url)).store.ok)
    const { store, inbox } = await healthOf(service.url)
    expect(store.detail).toContain('Events wait in the inbox and go in by themselves once the disk has room.')
    expect(inbox.ok).toBe(true)
    await load.stop()
    expect([...load.statuses.keys()]).toEqual([200])

    disk.makeRoom()
    await expectEachOnce(service.url, personalApiKey, [...first.uuids, ...load.acknowledged])
  },
)

onDisk(
  'takes events while the disk of the metadata is full, refuses changes with 503, and stores all once there is room',
  async () => {
    const { folder, disk } = folderWith('metadata.sqlite')
    const service = await startService(folder, { args: MANY_ROWS })
    const { apiKey, personalApiKey } = keysIn(service.output())
    const first = await sendBatch(service.url, apiKey, [{ event: 'before' }])
    await expectEachOnce(service.url, personalApiKey, first.uuids)
    disk.fill()
    const people = Array.from({ length: 400 }, (_, n) => ({
      event: '$identify',
      distinct_id: `user-${n}`,
      properties: { $set: { text: 'x'.repeat(1000) } },
    }))
    const identified = await sendBatch(service.url, apiKey, people)
    expect(identified.status).toBe(200)
    await eventually(async () => !(await healthOf(service.url)).store.ok)
    expect((await healthOf(service.url)).store.detail).toContain('once the disk has room')
    const change = await fetch(`${service.url}/api/environments/1/feature_flags/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: JSON.stringify({ key: 'big', filters: { groups: [{}] }, note: 'x'.repeat(500_000) }),
    })
    expect(change.status).toBe(503)
    expect(change.headers.get('retry-after')).toBe('5')
    expect(await change.json()).toMatchObject({ type: 'server_error', code: 'metadata_unavailable' })

    disk.makeRoom()
    await expectEachOnce(service.url, personalApiKey, [...first.uuids, ...identified.uuids])
  },
)

onDisk('refuses to start on a disk that is full, and says that nothing is lost', async () => {
  const { folder, disk } = folderWith('all')
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const { uuids } = await sendBatch(service.url, apiKey, [{ event: 'before' }])
  expect(await service.end('SIGTERM')).toBe(0)
  disk.fill()
  expect(await refusedStart(folder)).toMatch(/(full|no space left).*Make room on the disk, then start again\./i)
  disk.makeRoom()
  const again = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(again.url, personalApiKey, uuids)
})
