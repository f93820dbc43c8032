import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mayMountFile, mountFile } from '../support/disk.ts'
import { startLoad } from '../support/load.ts'
import { crash, expectEachOnce, healthOf, MANY_ROWS, refusedStart, sendBatch } from '../support/service-faults.ts'
import { eventually, keysIn, startService } from '../support/service-process.ts'

// Only root may mount a disk that breaks down; elsewhere these tests cannot run.
const onDisk = test.skipIf(!mayMountFile)

onDisk(
  'answers 503 once the disk has turned read-only, stops within its time, and has every acknowledged event on the repaired disk',
  async () => {
    const disk = mountFile(64)
    const folder = join(disk.path, 'data')
    const service = await startService(folder, { args: MANY_ROWS })
    const { apiKey, personalApiKey } = keysIn(service.output())
    const load = startLoad(service.url, apiKey, 4)
    await eventually(() => load.acknowledged.size > 200)
    disk.breakDown()
    await eventually(() => (load.statuses.get(503) ?? 0) > 20)
    await load.stop()
    expect(new Set(load.statuses.keys())).toEqual(new Set([200, 503]))
    const refused = await sendBatch(service.url, apiKey, [{ event: 'refused' }])
    expect(refused).toMatchObject({ status: 503, retryAfter: '5' })
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'inbox_unavailable' })
    expect(await healthOf(service.url)).toMatchObject({ status: 503, inbox: { ok: false } })
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
    expect(await refusedStart(folder)).toMatch(/cannot be written.*read-only/i)
    disk.unmount()
    disk.mount('writable')
    const again = await startService(folder, { args: MANY_ROWS })
    await expectEachOnce(again.url, personalApiKey, load.acknowledged)
    await crash(again)
  },
)
