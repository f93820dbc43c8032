import { closeSync, fdatasync, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'
import { createSyncer } from '../../../../src/platform/node/event-files/syncer.ts'
import type { Syncer } from '../../../../src/platform/node/event-files/syncer.ts'
import { tempFolder } from '../../../service/support/temp-folder.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import type { ManualClock } from '../../../support/manual-clock.ts'
import { until } from '../../../support/until.ts'

// Disks of busy machines take their time to make a file safe, and processes to start.
vi.setConfig({ testTimeout: 60_000 })

interface Opened {
  readonly syncer: Syncer
  readonly clock: ManualClock
  readonly calls: string[]
  readonly warnings: string[]
  readonly fd: number
}

/** A syncer over a real file, which tells what it does. */
const open = (): Opened => {
  const calls: string[] = []
  const warnings: string[] = []
  const clock = manualClock()
  const syncer = createSyncer(
    {
      async file(fd) {
        calls.push('file')
        await promisify(fdatasync)(fd)
        calls.push('safe')
      },
      async folder() {
        calls.push('folder')
      },
      async close(fd) {
        calls.push('close')
        closeSync(fd)
      },
    },
    clock,
    (message) => warnings.push(message),
  )
  return { syncer, clock, calls, warnings, fd: openSync(join(tempFolder(), 'file'), 'a') }
}

it('takes along in one round all that comes while another runs', async () => {
  const { syncer, calls, fd } = open()
  for (let writes = 0; writes < 10; writes++) syncer.written(fd)
  await syncer.settled()
  expect(calls).toEqual(['file', 'safe', 'file', 'safe'])
  closeSync(fd)
})

it('lets the disk rest between two rounds, unless somebody waits', async () => {
  const { syncer, clock, calls, fd } = open()
  syncer.written(fd)
  await until(
    () => clock.pending(),
    (timers) => timers === 1,
  )
  syncer.written(fd)
  await clock.advance(99)
  expect(calls).toEqual(['file', 'safe'])
  await clock.advance(1)
  await until(
    () => calls.length,
    (length) => length === 4,
  )
  syncer.written(fd)
  await syncer.settled()
  expect(calls).toHaveLength(6)
  closeSync(fd)
})

it('closes a file after it is safe, and names after they were given', async () => {
  const { syncer, calls, fd } = open()
  syncer.named('folder')
  syncer.written(fd)
  syncer.retire(fd)
  await syncer.settled()
  expect(calls).toEqual(['folder', 'file', 'safe', 'close'])
})

it('warns once, and goes on, when the disk fails', async () => {
  const { syncer, warnings, calls, fd } = open()
  closeSync(fd)
  syncer.written(fd)
  await syncer.settled()
  syncer.written(fd)
  await syncer.settled()
  expect(calls).toEqual(['file', 'file'])
  expect(warnings).toEqual([expect.stringContaining('EBADF')])
})
