import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { overwrite } from '../support/disk.ts'
import { crash, expectEachOnce, healthOf, MANY_ROWS, sendBatch, sendWaiting } from '../support/service-faults.ts'
import { caughtUp, childrenOf, eventually, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const KIB = 1024

/** A stopped service with stored events, a backup of its store, and two requests that came after the backup and wait. */
const stoppedFolder = async () => {
  const folder = tempFolder()
  const store = join(folder, 'events', '1.duckdb')
  const service = await startService(folder, { args: MANY_ROWS })
  const keys = keysIn(service.output())
  const events = Array.from({ length: 3000 }, (_, n) => ({
    event: 'old',
    properties: { n, text: randomBytes(100).toString('hex') },
  }))
  const stored = await sendBatch(service.url, keys.apiKey, events)
  await caughtUp(service.url)
  expect(await service.end('SIGTERM')).toBe(0)
  const backup = join(folder, 'backup.duckdb')
  cpSync(store, backup)
  const between = await startService(folder, { args: MANY_ROWS })
  const waiting = (await sendWaiting(between, keys.apiKey, 2)).flat()
  await crash(between)
  return { folder, store, backup, ...keys, stored: stored.uuids, waiting }
}

/** Moves a store away with all files beside it. */
const moveAway = (folder: string): void => {
  const events = join(folder, 'events')
  for (const name of readdirSync(events))
    if (name.startsWith('1.duckdb')) renameSync(join(events, name), join(folder, `away-${name}`))
}

test.each([
  ['head', 0, 4 * KIB],
  ['list of tables', 4 * KIB, 8 * KIB],
])(
  'takes events while the %s of a store is damaged, names the file and the way out, and stores them in the restored backup without a restart',
  async (_, at, bytes) => {
    const { folder, store, backup, apiKey, personalApiKey, stored, waiting } = await stoppedFolder()
    overwrite(store, at, randomBytes(bytes))
    const service = await startService(folder, { args: MANY_ROWS })
    const late = await sendBatch(service.url, apiKey, [{ event: 'late' }, { event: 'late' }])
    expect(late.status).toBe(200)
    await eventually(async () => !(await healthOf(service.url)).store.ok)
    const { status, store: health } = await healthOf(service.url)
    expect(status).toBe(503)
    expect(health.detail).toContain(`The store file ${store} of project 1 is damaged: `)
    expect(health.detail).toContain('The service may go on running: move it away')
    expect(service.output()).toContain(health.detail!)
    const query = queryRows(service.url, personalApiKey, 'select 1')
    await expect(query).rejects.toThrow(/^503 .*store_unavailable/)

    const pids = childrenOf(service.pid)
    moveAway(folder)
    cpSync(backup, store)
    await expectEachOnce(service.url, personalApiKey, [...stored, ...waiting, ...late.uuids])
    expect(childrenOf(service.pid)).toEqual(pids)
    expect((await healthOf(service.url)).store).toEqual({ ok: true, detail: null })
  },
)

test('goes on with an empty store when a damaged one was moved away, and stores what waits', async () => {
  const { folder, store, apiKey, personalApiKey, waiting } = await stoppedFolder()
  overwrite(store, 0, randomBytes(4 * KIB))
  const service = await startService(folder, { args: MANY_ROWS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }])
  await eventually(async () => !(await healthOf(service.url)).store.ok)
  moveAway(folder)
  await expectEachOnce(service.url, personalApiKey, [...waiting, ...late.uuids])
})

test('knows merged people as one, and their properties, in an empty store', async () => {
  const folder = tempFolder()
  const store = join(folder, 'events', '1.duckdb')
  const first = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(first.output())
  await sendBatch(first.url, apiKey, [
    { event: 'visit', distinct_id: 'anon-1' },
    { event: 'visit', distinct_id: 'known', properties: { $set: { plan: 'free' } } },
  ])
  await caughtUp(first.url)
  await sendBatch(first.url, apiKey, [
    { event: '$identify', distinct_id: 'known', properties: { $anon_distinct_id: 'anon-1', $set: { plan: 'pro' } } },
    { event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } } },
  ])
  await caughtUp(first.url)
  const countPeople = 'select count(*), count(distinct person_id) from events'
  expect(await queryRows(first.url, personalApiKey, countPeople)).toEqual([[4, 2]])
  expect(await first.end('SIGTERM')).toBe(0)
  overwrite(store, 0, randomBytes(4 * KIB))
  moveAway(folder)
  const service = await startService(folder, { args: MANY_ROWS })
  const late = await sendBatch(service.url, apiKey, [
    { event: 'late', distinct_id: 'anon-1' },
    { event: 'late', distinct_id: 'known' },
  ])
  await expectEachOnce(service.url, personalApiKey, late.uuids)
  const rows = (query: string): Promise<unknown[][]> => queryRows(service.url, personalApiKey, query)
  expect(await rows(`${countPeople} where event = 'late'`)).toEqual([[2, 1]])
  const plan =
    "select properties->>'plan' from persons join person_distinct_ids on person_id = id where distinct_id = 'known'"
  expect(await rows(plan)).toEqual([['pro']])
  expect(await rows("select group_key, properties->>'seats' from groups")).toEqual([['acme', '5']])
})

test('says which file is damaged when a query meets it, and stores new events', async () => {
  const { folder, store, apiKey, personalApiKey, stored, waiting, backup } = await stoppedFolder()
  const middle = Math.floor(statSync(store).size / 2)
  overwrite(store, middle, randomBytes(64 * KIB))
  const service = await startService(folder, { args: MANY_ROWS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }])
  const query = queryRows(
    service.url,
    personalApiKey,
    'select sum(length(properties::text)), min(uuid), max(uuid) from events',
  )
  await expect(query).rejects.toThrow(/^503 .*store_unavailable/)
  await eventually(async () => !(await healthOf(service.url)).store.ok)
  const { detail } = (await healthOf(service.url)).store
  expect(detail).toContain(`The store file ${store} of project 1 is damaged: `)
  expect(detail).toContain('Stop the service first')
  expect(await service.end('SIGTERM')).toBe(0)
  // What was stored after the backup is in the damaged file alone, unless it still waits.
  moveAway(folder)
  cpSync(backup, store)
  const again = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(again.url, personalApiKey, stored, new Set([...waiting, ...late.uuids]))
})

test('loses nothing without a word when the log of a store is damaged', async () => {
  const folder = tempFolder()
  const store = join(folder, 'events', '1.duckdb')
  const log = `${store}.wal`
  const before = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(before.output())
  const kept = await sendBatch(before.url, apiKey, [{ event: 'kept' }])
  await caughtUp(before.url)
  expect(await before.end('SIGTERM')).toBe(0)
  const first = await startService(folder, { args: MANY_ROWS })
  for (let batch = 0; batch < 5; batch++)
    await sendBatch(first.url, apiKey, [{ event: 'logged', properties: { batch } }])
  await caughtUp(first.url)
  await crash(first)
  expect(existsSync(log)).toBe(true)
  overwrite(log, Math.floor(statSync(log).size / 2), randomBytes(200))
  const service = await startService(folder, { args: MANY_ROWS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late' }])
  expect(late.status).toBe(200)
  await eventually(async () => !(await healthOf(service.url)).store.ok)
  expect((await healthOf(service.url)).store.detail).toContain(`move ${log} and ${store}.uuids away`)
  for (const file of [log, `${store}.uuids`]) renameSync(file, `${file}.away`)
  await expectEachOnce(service.url, personalApiKey, [...kept.uuids, ...late.uuids])
})

test.each([
  ['its head', 0, 100],
  ['all of it but the head', 100, null],
])('makes the file of uuids anew when %s is damaged, and still stores no event twice', async (_, at, bytes) => {
  const folder = tempFolder()
  const claims = join(folder, 'events', '1.duckdb.uuids')
  const first = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(first.output())
  const events = Array.from({ length: 500 }, () => ({ event: 'once', uuid: randomUUID() }))
  await sendBatch(first.url, apiKey, events)
  await caughtUp(first.url)
  expect(await first.end('SIGTERM')).toBe(0)
  overwrite(claims, at, randomBytes(bytes ?? statSync(claims).size - at))

  const service = await startService(folder, { args: MANY_ROWS })
  const again = await sendBatch(service.url, apiKey, [...events, { event: 'new' }])
  await expectEachOnce(service.url, personalApiKey, again.uuids)
  expect(service.output()).toContain(`${claims} was damaged`)
  expect(readdirSync(join(folder, 'events')).some((name) => name.includes('.uuids.damaged-'))).toBe(true)
})
