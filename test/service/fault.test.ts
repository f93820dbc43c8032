import { expect, test } from 'vitest'
import { startLoad } from './support/load.ts'
import { caughtUp, childrenOf, eventually, keysIn, queryRows, startService } from './support/service-process.ts'
import { tempFolder } from './support/temp-folder.ts'

const MANY_ROWS = ['--query-max-rows', '1000000']

/** Every stored uuid is there once, and every acknowledged one is among them. */
const expectEachOnce = async (
  url: string,
  personalApiKey: string,
  acknowledged: ReadonlySet<string>,
): Promise<void> => {
  await caughtUp(url)
  const rows = await queryRows(url, personalApiKey, 'select uuid from events')
  const stored = new Set(rows.map(([uuid]) => String(uuid)))
  expect(stored.size).toBe(rows.length)
  expect([...acknowledged].filter((uuid) => !stored.has(uuid))).toEqual([])
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('keeps every acknowledged event, once, when the front is killed while it takes events in', async () => {
  const folder = tempFolder()
  let service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const acknowledged = new Set<string>()
  for (const enough of [300, 600]) {
    const load = startLoad(service.url, apiKey)
    await eventually(() => load.acknowledged.size > enough)
    const [indexer] = childrenOf(service.pid)
    expect(await service.end('SIGKILL')).toBe('SIGKILL')
    await eventually(() => !isRunning(indexer!))
    await load.stop()
    for (const uuid of load.acknowledged) acknowledged.add(uuid)
    service = await startService(folder, { args: MANY_ROWS })
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

test('answers 503 when the disk is full, says so in /healthz, and has every acknowledged event after it has room again', async () => {
  const folder = tempFolder()
  const first = await startService(folder)
  const { apiKey, personalApiKey } = keysIn(first.output())
  expect(await first.end('SIGTERM')).toBe(0)

  const full = await startService(folder, { maxFileKiB: 4096 })
  const load = startLoad(full.url, apiKey, 8, 500)
  await eventually(() => (load.statuses.get(503) ?? 0) > 20)
  await eventually(async () => {
    const health = await fetch(`${full.url}/healthz`)
    const { inbox } = await health.json()
    return health.status === 503 && !inbox.ok
  })
  await load.stop()
  expect(new Set(load.statuses.keys())).toEqual(new Set([200, 503]))
  await full.end('SIGKILL')

  const after = await startService(folder, { args: MANY_ROWS })
  expect(load.acknowledged.size).toBeGreaterThan(0)
  await expectEachOnce(after.url, personalApiKey, load.acknowledged)
})
