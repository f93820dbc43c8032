import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openInstance } from '../../../src/service/store/events/duckdb/open-instance.ts'
import { readHealth, runCommand, sendBatch } from '../support/service-faults.ts'
import {
  eventually,
  killProcess,
  listChildPids,
  parseKeys,
  queryRows,
  startService,
} from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const FIXTURE = new URL('../store/events/duckdb/upgrade/fixture/waymark-0.1.duckdb', import.meta.url)

/** Creates a data folder whose store is of Waymark 0.1; returns the file of its project and a key that may query it. */
const createOldFolder = async () => {
  const folder = createTempFolder()
  const first = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(first.output())
  await first.end('SIGTERM')
  // The store of another folder is newer than this inbox, which makes the service number its requests above the store's.
  rmSync(join(folder, 'events'), { recursive: true, force: true })
  mkdirSync(join(folder, 'events'))
  const file = join(folder, 'events/1.duckdb')
  for (const suffix of ['', '.wal'])
    writeFileSync(file + suffix, gunzipSync(readFileSync(`${FIXTURE.pathname}${suffix}.gz`)))
  return { folder, file, apiKey, personalApiKey }
}

test('a store of an earlier version is upgraded although the indexer is killed again and again meanwhile', async () => {
  const { folder, personalApiKey } = await createOldFolder()
  const service = await startService(folder)
  const countEvents = () => queryRows(service.url, personalApiKey, 'SELECT count(*) FROM events')
  for (let kill = 0; kill < 5; kill++) {
    await eventually(() => listChildPids(service.pid).length === 1)
    // Opens the store, which upgrades it.
    const query = countEvents().catch(() => null)
    // Spreads the kills over the time of an upgrade.
    await new Promise((resolve) => setTimeout(resolve, 60 * kill))
    for (const pid of listChildPids(service.pid)) killProcess(pid)
    await query
  }
  await eventually(async () => (await countEvents().catch(() => null)) !== null)
  expect(await countEvents()).toEqual([[8]])
})

/** Runs SQL in a file that no process has open; returns the first value. */
const runSql = async (file: string, sql: string): Promise<unknown> => {
  const instance = await openInstance(file, { memoryMb: 256, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson()[0]?.[0]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Adds this many events to a store of Waymark 0.1. */
const addOldEvents = (file: string, count: number): Promise<unknown> =>
  runSql(
    file,
    `INSERT INTO internal.event BY NAME
      SELECT old.* REPLACE (
        ('019b0000-0000-7000-8000-' || lpad(range::VARCHAR, 12, '0'))::UUID AS uuid,
        ('{"n":' || range || ',"text":"' || repeat(md5(range::VARCHAR), 40) || '"}')::JSON AS properties)
      FROM range(${count}), (FROM internal.event LIMIT 1) AS old ORDER BY range`,
  )

test('an upgrade that is killed in the middle continues there, and every event is in the store once', async () => {
  const { folder, file, personalApiKey } = await createOldFolder()
  const added = 50_000
  await addOldEvents(file, added)
  const args = ['--store-memory-mb', '128']
  const service = await startService(folder, { args })
  await eventually(() => listChildPids(service.pid).length === 1)
  const [indexer] = listChildPids(service.pid)
  // Opens the store, which upgrades it.
  const query = queryRows(service.url, personalApiKey, 'SELECT 1').catch(() => null)
  await eventually(() => (statSync(`${file}.new`, { throwIfNoEntry: false })?.size ?? 0) > 2 ** 20)
  // It copies no more, even if the front takes long to end.
  process.kill(indexer!, 'SIGSTOP')
  await service.end('SIGKILL')
  process.kill(indexer!, 'SIGKILL')
  await query

  const countCopied = () => runSql(`${file}.new`, 'SELECT count(*) FROM internal.events').catch(() => null)
  await eventually(async () => (await countCopied()) !== null)
  const copied = Number(await countCopied())
  expect(copied).toBeGreaterThan(0)
  expect(copied).toBeLessThan(added)
  await runSql(`${file}.new`, "UPDATE internal.events SET event = 'copied before the kill' WHERE rowid = 0")

  const restarted = await startService(folder, { args })
  const readCounts = () =>
    queryRows(
      restarted.url,
      personalApiKey,
      `SELECT count(*), count(DISTINCT uuid), count(*) FILTER (event = 'copied before the kill'),
        sum((properties->>'n')::INTEGER), count(*) FILTER (length(properties->>'text') = 1280) FROM events`,
    )
  await eventually(async () => (await readCounts().catch(() => null)) !== null, 60_000)
  expect(await readCounts()).toEqual([[added + 8, added + 8, 1, ((added - 1) * added) / 2, added]])
  expect(existsSync(`${file}.new`)).toBe(false)
}, 120_000)

test('events of other projects are stored while the store of one project is upgraded', async () => {
  const { folder, file, apiKey, personalApiKey } = await createOldFolder()
  // Many, so that a busy machine still upgrades them when the events of the other project are stored.
  await addOldEvents(file, 180_000)
  const [otherKey] = /wm_\S+/.exec(runCommand(folder, 'project', 'create', 'other').output)!
  const otherPersonalKey = runCommand(folder, 'key', 'create', 'reader', '--project', '2').output.split(' ')[0]!
  const service = await startService(folder)
  // The old store has the first two requests of another inbox.
  for (let n = 0; n < 3; n++) await sendBatch(service.url, otherKey, [{ event: 'earlier' }])
  expect(await sendBatch(service.url, apiKey, [{ event: 'new' }])).toMatchObject({ status: 200 })
  await eventually(() => existsSync(`${file}.new`))
  expect(await sendBatch(service.url, otherKey, [{ event: 'new' }])).toMatchObject({ status: 200 })
  const count = (key: string, projectId: number) =>
    queryRows(service.url, key, "SELECT count(*) FROM events WHERE event = 'new'", projectId).catch(() => null)
  await eventually(async () => (await count(otherPersonalKey, 2))?.[0]?.[0] === 1)
  expect(existsSync(`${file}.new`)).toBe(true)
  expect(await readHealth(service.url)).toMatchObject({ status: 200 })
  expect(service.output()).not.toMatch(/cannot be (opened|stored)/)
  await eventually(async () => (await count(personalApiKey, 1))?.[0]?.[0] === 1, 120_000)
  expect(existsSync(`${file}.new`)).toBe(false)
}, 180_000)
