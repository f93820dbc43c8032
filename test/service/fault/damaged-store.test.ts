import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyFolder } from '../support/copied-folder.ts'
import { overwrite } from '../support/disk.ts'
import {
  crash,
  expectStoredOnce,
  readHealth,
  MANY_ROWS_ARGS,
  sendBatch,
  sendWhileIndexerStopped,
} from '../support/service-faults.ts'
import {
  waitForIndexer,
  listChildPids,
  eventually,
  parseKeys,
  queryRows,
  startService,
} from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const KIB = 1024
const STORE = 'events/1.duckdb'
const BACKUP = 'backup.duckdb'

const copyStoppedFolder = copyFolder(async (folder) => {
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const keys = parseKeys(service.output())
  const events = Array.from({ length: 3000 }, (_, n) => ({
    event: 'old',
    properties: { n, text: randomBytes(100).toString('hex') },
  }))
  const stored = await sendBatch(service.url, keys.apiKey, events)
  await waitForIndexer(service.url)
  expect(await service.end('SIGTERM')).toBe(0)
  cpSync(join(folder, STORE), join(folder, BACKUP))
  const between = await startService(folder, { args: MANY_ROWS_ARGS })
  const waiting = (await sendWhileIndexerStopped(between, keys.apiKey, 2)).flat()
  await crash(between)
  return { ...keys, stored: stored.uuids, waiting }
})

/** Returns the folder of a stopped service with stored events, a backup of its store, and two later requests in the inbox. */
const createStoppedFolder = async () => {
  const copy = await copyStoppedFolder()
  return { ...copy, store: join(copy.folder, STORE), backup: join(copy.folder, BACKUP) }
}

/** Moves all files of the store of project 1 out of its folder. A replacement takes the place of its file in one step. */
const moveStoreAway = (folder: string, replacement?: string): void => {
  const events = join(folder, 'events')
  for (const name of readdirSync(events))
    if (name.startsWith('1.duckdb') && !(replacement && name === '1.duckdb'))
      renameSync(join(events, name), join(folder, `away-${name}`))
  if (replacement) renameSync(replacement, join(events, '1.duckdb'))
}

test.each([
  ['header', 0, 4 * KIB],
  ['list of tables', 4 * KIB, 8 * KIB],
])('accepts events while the %s of a store is damaged, and stores them in its backup', async (_, offset, bytes) => {
  const { folder, store, backup, apiKey, personalApiKey, stored, waiting } = await createStoppedFolder()
  overwrite(store, offset, randomBytes(bytes))
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }, { event: 'late' }])
  expect(late.status).toBe(200)
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  const { status, store: health } = await readHealth(service.url)
  expect(status).toBe(503)
  expect(health.detail).toContain(`The store file ${store} of project 1 is damaged: `)
  expect(health.detail).toContain('The service can keep running. To repair the store, move away all files beside it')
  expect(health.detail).toContain('rename (mv) a copy')
  expect(service.output()).toContain(health.detail!)
  const query = queryRows(service.url, personalApiKey, 'select 1')
  await expect(query).rejects.toThrow(/^503 .*store_unavailable/)

  const pids = listChildPids(service.pid)
  const replacement = join(folder, 'replacement.duckdb')
  cpSync(backup, replacement)
  moveStoreAway(folder, replacement)
  await expectStoredOnce(service.url, personalApiKey, [...stored, ...waiting, ...late.uuids])
  expect(listChildPids(service.pid)).toEqual(pids)
  expect((await readHealth(service.url)).store).toEqual({ ok: true, detail: null })
})

test('begins a new store after a damaged one was moved away at the next start only', async () => {
  const { folder, store, apiKey, personalApiKey, waiting } = await createStoppedFolder()
  overwrite(store, 0, randomBytes(4 * KIB))
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }])
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  moveStoreAway(folder)
  await eventually(
    async () => (await readHealth(service.url)).store.detail?.includes('was deleted or replaced') === true,
  )
  expect(existsSync(store)).toBe(false)
  expect(await service.end('SIGTERM')).toBe(0)
  const next = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(next.url, personalApiKey, [...waiting, ...late.uuids])
})

test('copies merged persons and their properties into a new store', async () => {
  const folder = createTempFolder()
  const store = join(folder, STORE)
  const first = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(first.output())
  await sendBatch(first.url, apiKey, [
    { event: 'visit', distinct_id: 'anon-1' },
    { event: 'visit', distinct_id: 'known', properties: { $set: { plan: 'free' } } },
  ])
  await waitForIndexer(first.url)
  await sendBatch(first.url, apiKey, [
    { event: '$identify', distinct_id: 'known', properties: { $anon_distinct_id: 'anon-1', $set: { plan: 'pro' } } },
    { event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } } },
  ])
  await waitForIndexer(first.url)
  const countPeople = 'select count(*), count(distinct person_id) from events'
  expect(await queryRows(first.url, personalApiKey, countPeople)).toEqual([[4, 2]])
  expect(await first.end('SIGTERM')).toBe(0)
  overwrite(store, 0, randomBytes(4 * KIB))
  moveStoreAway(folder)
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [
    { event: 'late', distinct_id: 'anon-1' },
    { event: 'late', distinct_id: 'known' },
  ])
  await expectStoredOnce(service.url, personalApiKey, late.uuids)
  const queryStore = (query: string): Promise<unknown[][]> => queryRows(service.url, personalApiKey, query)
  expect(await queryStore(`${countPeople} where event = 'late'`)).toEqual([[2, 1]])
  const planQuery =
    "select properties->>'plan' from persons join person_distinct_ids on person_id = id where distinct_id = 'known'"
  expect(await queryStore(planQuery)).toEqual([['pro']])
  expect(await queryStore("select group_key, properties->>'seats' from groups")).toEqual([['acme', '5']])
})

test('reports the damaged file that a query reads, and stores new events', async () => {
  const { folder, store, apiKey, personalApiKey, stored, waiting, backup } = await createStoppedFolder()
  const middle = Math.floor(statSync(store).size / 2)
  overwrite(store, middle, randomBytes(64 * KIB))
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }])
  const query = queryRows(
    service.url,
    personalApiKey,
    'select sum(length(properties::text)), min(uuid), max(uuid) from events',
  )
  await expect(query).rejects.toThrow(/^503 .*store_unavailable/)
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  const { detail } = (await readHealth(service.url)).store
  expect(detail).toContain(`The store file ${store} of project 1 is damaged: `)
  expect(detail).toContain('Stop the service, then move the file away')
  expect(await service.end('SIGTERM')).toBe(0)
  // Events stored after the backup are only in the damaged file, unless they still wait in the inbox.
  moveStoreAway(folder)
  cpSync(backup, store)
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(restarted.url, personalApiKey, stored, new Set([...waiting, ...late.uuids]))
})

test('reports a damaged write-ahead log of a store until the log is removed', async () => {
  const folder = createTempFolder()
  const store = join(folder, STORE)
  const log = `${store}.wal`
  const before = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(before.output())
  const kept = await sendBatch(before.url, apiKey, [{ event: 'kept' }])
  await waitForIndexer(before.url)
  expect(await before.end('SIGTERM')).toBe(0)
  const first = await startService(folder, { args: MANY_ROWS_ARGS })
  // The middle of the log is then inside of an entry. DuckDB takes a damaged length between two entries for the end of the log.
  const text = 'x'.repeat(20_000)
  for (let batch = 0; batch < 5; batch++)
    await sendBatch(first.url, apiKey, [{ event: 'logged', properties: { batch, text } }])
  await waitForIndexer(first.url)
  await crash(first)
  expect(existsSync(log)).toBe(true)
  overwrite(log, Math.floor(statSync(log).size / 2), randomBytes(200))
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }])
  expect(late.status).toBe(200)
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  expect((await readHealth(service.url)).store.detail).toContain(`move ${log} and ${store}.uuids away`)
  for (const file of [log, `${store}.uuids`]) renameSync(file, `${file}.away`)
  await expectStoredOnce(service.url, personalApiKey, [...kept.uuids, ...late.uuids])
})

test.each([
  ['the header', 0, 100],
  ['all except the header', 100, null],
])('creates the uuids file again when %s is damaged, and stores no event twice', async (_, offset, bytes) => {
  const folder = createTempFolder()
  const uuidsFile = join(folder, 'events', '1.duckdb.uuids')
  const first = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const events = Array.from({ length: 500 }, () => ({ event: 'once', uuid: randomUUID() }))
  await sendBatch(first.url, apiKey, events)
  await waitForIndexer(first.url)
  expect(await first.end('SIGTERM')).toBe(0)
  overwrite(uuidsFile, offset, randomBytes(bytes ?? statSync(uuidsFile).size - offset))

  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const resent = await sendBatch(service.url, apiKey, [...events, { event: 'new' }])
  await expectStoredOnce(service.url, personalApiKey, resent.uuids)
  expect(service.output()).toContain(`${uuidsFile} was damaged`)
  expect(readdirSync(join(folder, 'events')).some((name) => name.includes('.uuids.damaged-'))).toBe(true)
})
