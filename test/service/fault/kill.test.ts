import { expect, test } from 'vitest'
import { startLoad } from '../support/load.ts'
import { expectStoredOnce, MANY_ROWS_ARGS } from '../support/service-faults.ts'
import { listChildPids, eventually, parseKeys, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

test('stores every acknowledged event once when the front is killed under load', async () => {
  const folder = createTempFolder()
  let service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const acknowledged = new Set<string>()
  for (const minEvents of [300, 600]) {
    const load = startLoad(service.url, apiKey)
    await eventually(() => load.acknowledged.size > minEvents)
    expect(await service.end('SIGKILL')).toBe('SIGKILL')
    // Restarted at once, while the indexer of the killed front still writes.
    service = await startService(folder, { args: MANY_ROWS_ARGS })
    await load.stop()
    for (const uuid of load.acknowledged) acknowledged.add(uuid)
  }
  expect(acknowledged.size).toBeGreaterThan(900)
  await expectStoredOnce(service.url, personalApiKey, acknowledged)
})

test('keeps acknowledging while the indexer is killed, and stores each event once', async () => {
  const service = await startService(createTempFolder(), { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const load = startLoad(service.url, apiKey)
  for (let kill = 1; kill <= 3; kill++) {
    const countBefore = load.acknowledged.size
    await eventually(() => load.acknowledged.size > countBefore + 500 && listChildPids(service.pid).length === 1)
    process.kill(listChildPids(service.pid)[0]!, 'SIGKILL')
  }
  await load.stop()
  expect([...load.statuses.keys()]).toEqual([200])
  await expectStoredOnce(service.url, personalApiKey, load.acknowledged)
})
