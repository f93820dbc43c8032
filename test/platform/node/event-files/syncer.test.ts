import { closeSync, fdatasync, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'
import { createSyncer } from '../../../../src/platform/node/event-files/syncer.ts'
import type { Syncer } from '../../../../src/platform/node/event-files/syncer.ts'
import { createTempFolder } from '../../../service/support/temp-folder.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import type { ManualClock } from '../../../support/manual-clock.ts'
import { until } from '../../../support/until.ts'

// On busy machines a sync may take seconds.
vi.setConfig({ testTimeout: 60_000 })

interface SyncerHarness {
  readonly syncer: Syncer
  readonly clock: ManualClock
  readonly calls: string[]
  readonly warnings: string[]
  readonly fd: number
}

/** A syncer with a real file, which records its calls. */
const openSyncer = (): SyncerHarness => {
  const calls: string[] = []
  const warnings: string[] = []
  const clock = manualClock()
  const syncer = createSyncer(
    {
      async syncFile(fd) {
        calls.push('sync file')
        await promisify(fdatasync)(fd)
        calls.push('synced')
      },
      async syncFolder() {
        calls.push('sync folder')
      },
      async closeFile(fd) {
        calls.push('close')
        closeSync(fd)
      },
    },
    clock,
    (message) => warnings.push(message),
  )
  return { syncer, clock, calls, warnings, fd: openSync(join(createTempFolder(), 'file'), 'a') }
}

it('syncs in one run everything that was marked during the previous run', async () => {
  const { syncer, calls, fd } = openSyncer()
  for (let writes = 0; writes < 10; writes++) syncer.markFile(fd)
  await syncer.whenSynced()
  expect(calls).toEqual(['sync file', 'synced', 'sync file', 'synced'])
  closeSync(fd)
})

it('pauses between two runs, unless a caller waits', async () => {
  const { syncer, clock, calls, fd } = openSyncer()
  syncer.markFile(fd)
  await until(
    () => clock.pending(),
    (timers) => timers === 1,
  )
  syncer.markFile(fd)
  await clock.advance(99)
  expect(calls).toEqual(['sync file', 'synced'])
  await clock.advance(1)
  await until(
    () => calls.length,
    (length) => length === 4,
  )
  syncer.markFile(fd)
  await syncer.whenSynced()
  expect(calls).toHaveLength(6)
  closeSync(fd)
})

it('syncs folders first, and closes a file after its sync', async () => {
  const { syncer, calls, fd } = openSyncer()
  syncer.markFolder('folder')
  syncer.markFile(fd)
  syncer.closeAfterSync(fd)
  await syncer.whenSynced()
  expect(calls).toEqual(['sync folder', 'sync file', 'synced', 'close'])
})

it('warns once, and continues, when the disk fails', async () => {
  const { syncer, warnings, calls, fd } = openSyncer()
  closeSync(fd)
  syncer.markFile(fd)
  await syncer.whenSynced()
  syncer.markFile(fd)
  await syncer.whenSynced()
  expect(calls).toEqual(['sync file', 'sync file'])
  expect(warnings).toEqual([expect.stringContaining('EBADF')])
})
