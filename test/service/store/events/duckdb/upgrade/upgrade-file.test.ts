import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import { STORAGE_VERSION } from '../../../../../../src/service/store/events/duckdb/attach-file.ts'
import { openCached, openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openPersonViews } from '../../../../../../src/service/store/events/duckdb/open-person-views.ts'
import { createBatchWriter } from '../../../../../../src/service/store/events/duckdb/batch-writer.ts'
import { openDistinctIds } from '../../../../../../src/service/store/events/duckdb/distinct-ids.ts'
import { readFileFacts } from '../../../../../../src/service/store/events/duckdb/file-facts.ts'
import { openEventTable } from '../../../../../../src/service/store/events/duckdb/event-table/event-table.ts'
import { STAGING, TABLES } from '../../../../../../src/service/store/events/duckdb/schema.ts'
import { VERSION_TABLE } from '../../../../../../src/service/store/events/duckdb/schema-version.ts'
import { upgradeFile } from '../../../../../../src/service/store/events/duckdb/upgrade/upgrade-file.ts'
import { createEventStore, openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventBatch, EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { coversRow, positionAfterRow } from '../../../../../../src/service/store/row-position.ts'
import { batchOf, select, storedEvent } from '../../../../../contract/service-event-store.ts'
import { canMount, mountMemoryDisk } from '../../../../support/disk.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'

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

/** Works with the file while no store has it open. */
const runSql = async (file: string, work: (connection: Connection) => Promise<unknown>): Promise<void> => {
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  try {
    await work(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
type Connection = Awaited<ReturnType<Awaited<ReturnType<typeof openInstance>>['connect']>>

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

test('an unfinished copy that is damaged is made again', async () => {
  const file = unpackFixture()
  await leaveUnfinishedCopy(file, FIRST_EVENT)
  const copy = readFileSync(`${file}.new`)
  // The headers, or what is behind them, which is not all read when the file is opened.
  for (const end of [4096, 12_288]) {
    const { length } = copy
    writeFileSync(`${file}.new`, Buffer.concat([copy.subarray(0, end), Buffer.alloc(length - end, 1)]))
    const otherFile = join(createTempFolder(), '1.duckdb')
    for (const suffix of ['', '.wal', '.new']) copyFileSync(file + suffix, otherFile + suffix)
    const store = await open(otherFile)
    expect(await readAll(store)).toEqual(expected)
    await store.close()
  }
})

test.skipIf(!canMount)(
  'an upgrade on a full disk fails before it writes, and continues when there is space',
  async () => {
    const disk = mountMemoryDisk(24)
    const original = unpackFixture()
    await leaveUnfinishedCopy(original, FIRST_EVENT)
    const file = join(disk.path, '1.duckdb')
    for (const suffix of ['', '.wal', '.new']) copyFileSync(original + suffix, file + suffix)
    disk.fill()
    const readFiles = () => [file, `${file}.new`].map((path) => readFileSync(path).toString('latin1'))
    const before = readFiles()
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(open(file)).rejects.toThrow(
        /^No space left on device to copy .*1\.duckdb.*: \d+ MB are needed, 0 MB are/,
      )
    expect(readFiles()).toEqual(before)
    disk.freeSpace()
    const store = await open(file)
    expect(await select(store, "SELECT count(*) FROM events WHERE event = 'copied before'")).toEqual([[1]])
    await store.close()
  },
)

test('an upgrade keeps to the memory limit, names it if it is too low, and continues with a higher one', async () => {
  const file = join(createTempFolder(), '1.duckdb')
  await runSql(file, async (connection) => {
    await connection.run('CREATE SCHEMA internal')
    await connection.run(`CREATE TABLE internal.event AS SELECT
      ('019a0000-0000-7000-8000-' || lpad(range::VARCHAR, 12, '0'))::UUID AS uuid, 'large' AS event, 'ada' AS distinct_id,
      now() AS timestamp, now() AS received_at, ('{"text":"' || repeat('x', 1_000_000) || '"}')::JSON AS properties
      FROM range(40)`)
  })
  const upgrade = { file, deriveOriginId: (id: string) => derivePersonId(1, id), spillMb: 16, threads: 1 }
  await expect(upgradeFile({ ...upgrade, memoryMb: 24 })).rejects.toThrow(
    `24 MB of memory are too little to copy ${file} into the format of this version: start with more --store-memory-mb`,
  )
  await upgradeFile({ ...upgrade, memoryMb: 512 })
  await runSql(file, async (connection) => {
    const reader = await connection.runAndReadAll('SELECT count(*), min(length(rest)) FROM internal.events')
    expect(reader.getRowsJson()).toEqual([['40', '1000011']])
  })
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

/** Two commits: 3000 events with two frequent properties, then an event with a column for one of them. */
const twoBatches = (): readonly EventBatch[] => {
  const [ada, bob] = ['ada', 'bob'].map((id) => derivePersonId(1, id))
  const events = Array.from({ length: 3000 }, (_, n) =>
    storedEvent(n, { distinctId: n % 2 ? 'ada' : 'bob', properties: { n, plan: `plan ${n % 3}`, $os: 'x', b: [n] } }),
  )
  const lastEvent = storedEvent(3000, { distinctId: 'cyd', properties: { a: { b: null }, plan: 'later', n: 1 } })
  return [
    batchOf(events),
    batchOf([lastEvent], {
      position: { inboxRow: 3000, events: 1 },
      persons: {
        persons: [{ id: ada!, properties: { name: 'Ada' }, createdAt: 1000, isIdentified: true }],
        distinctIds: new Map([
          ['ada', ada!],
          ['bob', ada!],
          ['dan', bob!],
        ]),
        groups: [{ type: 'company', key: 'c', properties: { size: 3 }, createdAt: 1000 }],
        revision: 12,
      },
      rejected: [{ inboxRow: 2, receivedAt: 1000, reason: 'bad', form: 'json', body: Buffer.from('{') }],
    }),
  ]
}

/** Makes the fixture a file with today's tables in its storage version, and writes the two batches. */
const createOlderStorage = async (): Promise<string> => {
  const file = unpackFixture()
  await runSql(file, async (connection) => {
    await connection.run('DROP VIEW IF EXISTS events')
    const tables = await connection.runAndReadAll("SELECT schema_name || '.' || table_name FROM duckdb_tables()")
    for (const [table] of tables.getRows()) await connection.run(`DROP TABLE ${String(table)}`)
    // The storage version of the fixture has no zstd.
    for (const sql of [...TABLES, ...STAGING, VERSION_TABLE])
      await connection.run(sql.replace('USING COMPRESSION zstd', ''))
    const deriveOriginId = (distinctId: string) => derivePersonId(1, distinctId)
    const facts = await readFileFacts(connection)
    const distinctIds = openDistinctIds(connection, { deriveOriginId, idCount: facts.idCount })
    const eventTable = await openEventTable(connection, distinctIds, facts.columns)
    const batchWriter = createBatchWriter({
      connection,
      distinctIds,
      ...(await openPersonViews(connection, facts, false)),
      eventTable,
      deriveOriginId,
      commitWaitMs: () => 0,
    })
    const unused = () => Promise.reject(new Error('This test does not use it.'))
    const store = createEventStore({
      ...batchWriter,
      opened: {
        eventCount: 0,
        progress: { position: positionAfterRow(0), revision: 0 },
        columns: eventTable.columns(),
      },
      async commit(end) {
        await batchWriter.commit(end)
        await eventTable.addColumns(end.properties)
        return eventTable.columns()
      },
      readStoredTimes: unused,
      findStored: unused,
      claim: unused,
      ask: unused,
      interrupt: () => undefined,
      close: unused,
    })
    for (const batch of twoBatches()) await store.commit(batch)
  })
  return file
}

const INTERNAL_TABLES = [
  'internal.events',
  "(SELECT number, property, unfilled_rows FROM internal.property_columns WHERE property = 'plan')",
  'internal.distinct_ids',
  'internal.progress',
  'internal.rejected',
]
const readInternal = async (file: string): Promise<unknown[]> => {
  const results: unknown[] = []
  await runSql(file, async (connection) => {
    for (const table of INTERNAL_TABLES)
      results.push((await connection.runAndReadAll(`FROM ${table} ORDER BY ALL`)).getRowsJson())
  })
  return results
}

test('a file with the tables of this version in an earlier storage version is copied as it is', async () => {
  const file = await createOlderStorage()
  const before = await readInternal(file)
  const upgrade = { file, deriveOriginId: () => '', memoryMb: 128, spillMb: 16, threads: 1 }
  await upgradeFile(upgrade)
  expect(await readInternal(file)).toEqual(before)

  const messages: string[] = []
  const store = await open(file, messages)
  expect(messages).toEqual([])
  const original = await open(join(createTempFolder(), '1.duckdb'))
  for (const batch of twoBatches()) await original.commit(batch)
  expect(await readAll(store)).toEqual(await readAll(original))
  expect([store.position(), store.personRevision()]).toEqual([original.position(), original.personRevision()])
  await original.close()
  await store.commit(batchOf([storedEvent(4000, { distinctId: 'ada', properties: { plan: 'new' } })]))
  expect(
    await select(store, "SELECT distinct_id, person_id, properties FROM events WHERE properties->>'plan' = 'new'"),
  ).toEqual([['ada', derivePersonId(1, 'ada'), '{"plan":"new"}']])
  await store.close()
})

/** Gives a file blocks of DuckDB's default size, as earlier versions of Waymark did. */
const giveLargeBlocks = async (file: string): Promise<void> => {
  const copy = `${file}.blocks`
  const instance = await openCached(`${file}.both`, { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  await connection.run(`ATTACH '${file}' AS small`)
  await connection.run(`ATTACH '${copy}' AS large (BLOCK_SIZE 262144, STORAGE_VERSION '${STORAGE_VERSION}')`)
  await connection.run('COPY FROM DATABASE small TO large')
  connection.closeSync()
  instance.closeSync()
  renameSync(copy, file)
}

test.each([
  ['this version', () => Promise.resolve()],
  ['an earlier version', giveLargeBlocks],
])('a killed copy of a file with the tables of this version continues: by %s', async (_, prepare) => {
  const file = await createOlderStorage()
  copyFileSync(file, `${file}.new`)
  await upgradeFile({ file: `${file}.new`, deriveOriginId: () => '', memoryMb: 128, spillMb: 16, threads: 1 })
  await prepare(`${file}.new`)
  await runSql(`${file}.new`, async (connection) => {
    for (const table of ['persons', 'groups', 'rejected', 'progress', 'distinct_ids'])
      await connection.run(`DELETE FROM internal.${table}`)
    await connection.run(`DELETE FROM internal.events WHERE rowid >= 1000; ${FIRST_EVENT}`)
  })
  await runSql(file, (connection) => connection.run(FIRST_EVENT))
  const before = await readInternal(file)
  await runSql(file, (connection) => connection.run("UPDATE internal.events SET event = 'a' WHERE rowid = 0"))
  await upgradeFile({ file, deriveOriginId: () => '', memoryMb: 128, spillMb: 16, threads: 1 })
  // With the first event of the copy, which was not copied again.
  expect(await readInternal(file)).toEqual(before)
})

test('events that this version does not understand are not lost', async () => {
  const file = await createOlderStorage()
  const before = await readInternal(file)
  await runSql(file, (connection) => connection.run('ALTER TABLE internal.events RENAME COLUMN rest TO other'))
  await expect(open(file)).rejects.toThrow(/internal\.events has columns that this version does not know: .*other/)
  await runSql(file, (connection) => connection.run('ALTER TABLE internal.events RENAME COLUMN other TO rest'))
  await runSql(file, (connection) => connection.run('CREATE TABLE internal.later (n INTEGER)'))
  await expect(open(file)).rejects.toThrow('later')
  await runSql(file, (connection) => connection.run('DROP TABLE internal.later'))
  expect(await readInternal(file)).toEqual(before)
  await (await open(file)).close()
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
