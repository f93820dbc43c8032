import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canMountFile, mountFileDisk } from '../support/disk.ts'
import { startLoad } from '../support/load.ts'
import {
  crash,
  expectStoredOnce,
  readHealth,
  MANY_ROWS_ARGS,
  expectStartFailure,
  sendBatch,
} from '../support/service-faults.ts'
import { eventually, parseKeys, startService } from '../support/service-process.ts'

// This test needs a disk that can become read-only, and only root can mount one.
const testOnDisk = test.skipIf(!canMountFile)

testOnDisk('responds 503 when the disk becomes read-only, and keeps all acknowledged events', async () => {
  const disk = mountFileDisk(64)
  const folder = join(disk.path, 'data')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const load = startLoad(service.url, apiKey, 4)
  await eventually(() => load.acknowledged.size > 200)
  disk.triggerError()
  await eventually(() => (load.statuses.get(503) ?? 0) > 20)
  await load.stop()
  expect(new Set(load.statuses.keys())).toEqual(new Set([200, 503]))
  const refused = await sendBatch(service.url, apiKey, [{ event: 'refused' }])
  expect(refused).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'inbox_unavailable' })
  expect(await readHealth(service.url)).toMatchObject({ status: 503, inbox: { ok: false } })
  const flags = await fetch(`${service.url}/decide?v=3`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, distinct_id: 'u' }),
  })
  expect([200, 503]).toContain(flags.status)
  const startedAt = performance.now()
  await service.end('SIGTERM')
  expect(performance.now() - startedAt).toBeLessThan(10_000)

  disk.unmount()
  disk.mount('read-only')
  expect(await expectStartFailure(folder)).toMatch(/cannot be written.*read-only/i)
  disk.unmount()
  disk.mount('writable')
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(restarted.url, personalApiKey, load.acknowledged)
  await crash(restarted)
})
