import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { ProcessExit } from '../../../src/service/indexer/indexer-process.ts'
import { startIndexerProcess } from '../../../src/service/indexer/indexer-process.ts'
import { findLimitObstacle, memoryLimitOf } from '../../../src/service/indexer/memory-limit.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { openIndexerTestBed, until } from './indexer-test-bed.ts'

const LIMIT_MB = 600

/** Allocates and fills memory without end, as a fault in native code would, and reports how much it has. */
const ENDLESS = `
  const held = []
  const allocate = () => {
    held.push(Buffer.alloc(16 * 1024 * 1024, 1))
    process.send({ heldMb: held.length * 16 }, () => setImmediate(allocate))
  }
  allocate()
`

const settings = {
  inboxFile: '',
  metadataFile: '',
  eventsFolder: '',
  memoryMb: 128,
  maxOpenStores: 1,
  geoDatabase: null,
  storeAddresses: false,
}

/** Other systems do not limit it. */
const onLinux = it.runIf(process.platform === 'linux')

onLinux('a process that allocates without end is stopped at its limit', async () => {
  const script = join(createTempFolder(), 'endless.cjs')
  writeFileSync(script, ENDLESS)
  let heldMb = 0
  const exit = await new Promise<ProcessExit>((resolve) => {
    const child = startIndexerProcess(
      { script, memoryLimitMb: LIMIT_MB },
      {
        onMessage(message) {
          ;({ heldMb } = message as unknown as { heldMb: number })
          if (heldMb > LIMIT_MB) child.kill()
        },
        onExit: resolve,
      },
    )
  })
  expect(exit).toMatchObject({ failure: null, signal: expect.not.stringMatching('SIGKILL') })
  expect(heldMb).toBeLessThan(LIMIT_MB)
  expect(heldMb).toBeGreaterThan(LIMIT_MB / 3)
})

onLinux('the process has the limit that follows from the settings', async () => {
  const testBed = await openIndexerTestBed()
  onTestFinished(() => testBed.stop())
  const limits = readFileSync(`/proc/${testBed.pids[0]}/limits`, 'utf8')
  const limitMb = memoryLimitOf({ ...settings, memoryMb: 256, maxOpenStores: 4 })
  expect(/^Max data size +(\d+) +(\d+)/m.exec(limits)?.slice(1).map(Number)).toEqual(
    [limitMb, limitMb].map((mb) => mb * 1024 * 1024),
  )
  expect(testBed.warnings).toEqual([])
})

onLinux('at the limit a query fails or the process is restarted, and no event is lost', async () => {
  const testBed = await openIndexerTestBed({ memoryLimitMb: 450 })
  onTestFinished(() => testBed.stop())
  await testBed.waitUntilStored(await testBed.send([{ event: 'before', distinct_id: 'ada' }]))
  const query = testBed.query('SELECT mode(hash(n)) FROM range(100000000) t(n)').catch((error: unknown) => error)
  const row = await testBed.send([{ event: 'meanwhile', distinct_id: 'ada' }])
  expect(await query).toMatchObject({ code: expect.stringMatching(/^(memory|store_unavailable)$/) })
  await testBed.waitUntilStored(row)
  await until(() => testBed.indexer.status().alive)
  expect((await testBed.query('SELECT event FROM events ORDER BY event')).rows).toEqual([['before'], ['meanwhile']])
})

it('grows with the memory of the stores', () => {
  const small = memoryLimitOf(settings)
  expect(memoryLimitOf({ ...settings, memoryMb: 512, maxOpenStores: 8 }) - small).toBe(8 * 512 - 128)
})

it('says why there can be no limit', () => {
  expect(findLimitObstacle(2 ** 60)).toEqual(expect.any(String))
})
