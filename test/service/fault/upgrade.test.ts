import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { eventually, listChildPids, parseKeys, queryRows, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const FIXTURE = new URL('../store/events/duckdb/upgrade/fixture/waymark-0.1.duckdb', import.meta.url)

test('a store of an earlier version is upgraded although the indexer is killed again and again meanwhile', async () => {
  const folder = createTempFolder()
  const first = await startService(folder)
  const { personalApiKey } = parseKeys(first.output())
  await first.end('SIGTERM')
  // The store of another folder is newer than this inbox, which makes the service number its requests above the store's.
  rmSync(join(folder, 'events'), { recursive: true, force: true })
  mkdirSync(join(folder, 'events'))
  for (const suffix of ['', '.wal'])
    writeFileSync(join(folder, `events/1.duckdb${suffix}`), gunzipSync(readFileSync(`${FIXTURE.pathname}${suffix}.gz`)))

  const service = await startService(folder)
  const countEvents = () => queryRows(service.url, personalApiKey, 'SELECT count(*) FROM events')
  for (let kill = 0; kill < 5; kill++) {
    await eventually(() => listChildPids(service.pid).length === 1)
    // Opens the store, which upgrades it.
    const query = countEvents().catch(() => null)
    // Spreads the kills over the time of an upgrade.
    await new Promise((resolve) => setTimeout(resolve, 60 * kill))
    for (const pid of listChildPids(service.pid)) process.kill(pid, 'SIGKILL')
    await query
  }
  await eventually(async () => (await countEvents().catch(() => null)) !== null)
  expect(await countEvents()).toEqual([[8]])
})
