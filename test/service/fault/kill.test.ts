import { expect, test } from 'vitest'
import { startLoad } from '../support/load.ts'
import { expectEachOnce, MANY_ROWS } from '../support/service-faults.ts'
import { childrenOf, eventually, keysIn, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('keeps every acknowledged event, once, when the front is killed while it takes events in', async () => {
  const folder = tempFolder()
  let service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const acknowledged = new Set<string>()
  for (const enough of [300, 600]) {
    const load = startLoad(service.url, apiKey)
    await eventually(() => load.acknowledged.size > enough)
    expect(await service.end('SIGKILL')).toBe('SIGKILL')
    // At once: its indexer is still there, and writes what it has begun.
    service = await startService(folder, { args: MANY_ROWS })
    await load.stop()
    for (const uuid of load.acknowledged) acknowledged.add(uuid)
  }
  expect(acknowledged.size).toBeGreaterThan(900)
  await expectEachOnce(service.url, personalApiKey, acknowledged)
})

test('goes on acknowledging while the indexer is killed, and stores each event once', async () => {
  const service = await startService(tempFolder(), { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const load = startLoad(service.url, apiKey)
  for (let kill = 1; kill <= 3; kill++) {
    const before = load.acknowledged.size
    await eventually(() => load.acknowledged.size > before + 500 && childrenOf(service.pid).length === 1)
    process.kill(childrenOf(service.pid)[0]!, 'SIGKILL')
  }
  await load.stop()
  expect([...load.statuses.keys()]).toEqual([200])
  await expectEachOnce(service.url, personalApiKey, load.acknowledged)
})
