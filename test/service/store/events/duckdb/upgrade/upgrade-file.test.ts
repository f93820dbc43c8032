import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openDuckDbStore } from '../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../../../src/service/store/events/event-store.ts'
import { coversRow } from '../../../../../src/service/store/row-position.ts'
import { batchOf, select, storedEvent } from '../../../../contract/service-event-store.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

/**
 * The store of a service of Waymark 0.1 that was killed: two requests are in the file, the last one is only in the write-ahead log.
 * The JSON has the rows of each table, as its queries returned them.
 */
const fixture = new URL('fixture/', import.meta.url)
const expected = JSON.parse(readFileSync(new URL('waymark-0.1.json', fixture), 'utf8'))

/** Unpacks the fixture into a new folder; returns its file. */
const unpackFixture = (): string => {
  const file = join(createTempFolder(), '1.duckdb')
  for (const suffix of ['', '.wal'])
    writeFileSync(file + suffix, gunzipSync(readFileSync(new URL(`waymark-0.1.duckdb${suffix}.gz`, fixture))))
  return file
}

const open = (file: string, messages: string[] = []): Promise<EventStore> =>
  openDuckDbStore({
    file,
    deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
    memoryMb: 128,
    spillMb: 16,
    threads: 1,
    onRepair: (message) => messages.push(message),
  })

const readAll = async (store: EventStore) => ({
  events: await select(store, 'SELECT * FROM events ORDER BY uuid'),
  persons: await select(store, 'SELECT * FROM persons ORDER BY id'),
  person_distinct_ids: await select(store, 'SELECT * FROM person_distinct_ids ORDER BY distinct_id'),
  groups: await select(store, 'SELECT * FROM groups ORDER BY group_key'),
})

test('a file of an earlier version is upgraded with all its rows, also those in its write-ahead log', async () => {
  const file = unpackFixture()
  const messages: string[] = []
  const store = await open(file, messages)
  expect(messages.join()).toContain('is copied into the format of this version')
  expect(await readAll(store)).toEqual(expected)
  expect(coversRow(store.position(), 2)).toBe(true)
  expect(store.personRevision()).toBeGreaterThan(0)
  await store.close()
  expect(['.wal', '.new', '.new.wal'].filter((suffix) => existsSync(file + suffix))).toEqual([])
})

test('an upgraded file finds the duplicates of its earlier events, stores new ones and is not upgraded again', async () => {
  const file = unpackFixture()
  let store = await open(file)
  const [{ length: count }] = [expected.events]
  const uuids: string[] = expected.events.map(([uuid]: [string]) => uuid)
  const repeated = uuids.map((uuid, n) => storedEvent(100 + n, { uuid }))
  expect((await store.findDuplicates([...repeated, storedEvent(200)])).size).toBe(count)
  await store.commit(batchOf([storedEvent(200, { properties: { $browser: 'Chrome' } })]))
  await store.close()
  const messages: string[] = []
  store = await open(file, messages)
  expect(messages).toEqual([])
  expect(await select(store, `SELECT count(*), count(*) FILTER ("$browser" = 'Chrome') FROM events`)).toEqual([
    [count + 1, 1],
  ])
  await store.close()
})

test('an upgrade that was killed leaves the old file, and starts again', async () => {
  const file = unpackFixture()
  writeFileSync(`${file}.new`, 'half a file')
  writeFileSync(`${file}.new.wal`, 'half a log')
  const store = await open(file)
  expect(await readAll(store)).toEqual(expected)
  await store.close()
})

/** Leaves an unfinished copy of the file beside it, with the first 3 events, of which the first has a new name. */
const leaveUnfinishedCopy = async (file: string, sql: string): Promise<void> => {
  const copy = unpackFixture()
  await (await open(copy)).close()
  const instance = await openInstance(copy, { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  for (const table of ['persons', 'groups', 'rejected', 'progress'])
    await connection.run(`DELETE FROM internal.${table}`)
  await connection.run('DELETE FROM internal.events WHERE rowid >= 3')
  await connection.run('UPDATE internal.distinct_ids SET person_id = NULL')
  await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
  renameSync(copy, `${file}.new`)
}
const FIRST_EVENT = 'UPDATE internal.events SET event = $$copied before$$ WHERE rowid = 0'

test('an upgrade that was killed while it copied events continues after the last copied one', async () => {
  const file = unpackFixture()
  await leaveUnfinishedCopy(file, FIRST_EVENT)
  const store = await open(file)
  const { events, ...others } = await readAll(store)
  const { events: expectedEvents, ...expectedOthers } = expected
  expect(others).toEqual(expectedOthers)
  expect(events).toHaveLength(expectedEvents.length)
  expect(await select(store, "SELECT count(*) FROM events WHERE event = 'copied before'")).toEqual([[1]])
  await store.close()
})

test('an unfinished copy of another file is made again', async () => {
  const file = unpackFixture()
  await leaveUnfinishedCopy(file, `${FIRST_EVENT}; UPDATE internal.events SET uuid = uuid() WHERE rowid = 2`)
  const store = await open(file)
  expect(await readAll(store)).toEqual(expected)
  await store.close()
})

test('a file of the storage format of an earlier version is copied even if it has no events', async () => {
  const file = unpackFixture()
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  await connection.run('DROP VIEW events; DROP TABLE internal.event')
  connection.closeSync()
  instance.closeSync()
  const messages: string[] = []
  const store = await open(file, messages)
  expect(messages).toHaveLength(1)
  await store.commit(batchOf([storedEvent(1)]))
  expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
  await store.close()
})

test('a file with the properties of events in one column is copied', async () => {
  const file = join(createTempFolder(), '1.duckdb')
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  for (const sql of [
    'CREATE SCHEMA internal',
    'CREATE TABLE internal.progress (inbox_row BIGINT NOT NULL, events BIGINT, person_revision BIGINT DEFAULT 0)',
    'INSERT INTO internal.progress VALUES (7, 2, 5)',
    `CREATE TABLE internal.events (uuid UUID, event VARCHAR, distinct_id VARCHAR, origin_id UUID, timestamp TIMESTAMPTZ,
      received_at TIMESTAMPTZ, historical BOOLEAN, properties JSON, "$browser" VARCHAR)`,
    `INSERT INTO internal.events VALUES ('${storedEvent(1).uuid}', 'old', 'ada', '${derivePersonId(1, 'ada')}',
      '2026-01-02 03:04:05.678Z', '2026-01-02 03:04:06Z', true, '{"a":[1],"$browser":"Chrome"}', 'Chrome')`,
  ])
    await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
  const store = await open(file)
  expect(store.position()).toEqual({ inboxRow: 7, events: 2 })
  expect(store.personRevision()).toBe(5)
  expect(
    await select(
      store,
      'SELECT event, distinct_id, person_id, timestamp, historical, properties, "$browser" FROM events',
    ),
  ).toEqual([
    [
      'old',
      'ada',
      derivePersonId(1, 'ada'),
      '2026-01-02T03:04:05.678Z',
      true,
      '{"a":[1],"$browser":"Chrome"}',
      'Chrome',
    ],
  ])
  await store.close()
})

test('an upgrade that fails leaves the old file as it was', async () => {
  const file = unpackFixture()
  mkdirSync(`${file}.new`)
  await expect(open(file)).rejects.toThrow()
  rmSync(`${file}.new`, { recursive: true })
  const store = await open(file)
  expect(await readAll(store)).toEqual(expected)
  await store.close()
})
