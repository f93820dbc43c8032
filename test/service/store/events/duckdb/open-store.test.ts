import { cpSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { positionAfterRow } from '../../../../../src/service/store/row-position.ts'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import { groupKey } from '../../../../../src/service/persons/person.ts'
import { isInvalidated } from '../../../../../src/service/store/events/duckdb/is-invalidated.ts'
import { openCached, openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openPackedStore } from '../../../../../src/service/store/events/duckdb/open-packed-store.ts'
import { createEventStore, openDuckDbStore } from '../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../../../src/service/store/events/event-store.ts'
import { FailedCommitError, UnstorableError } from '../../../../../src/service/store/events/event-store.ts'
import type { PackedStore } from '../../../../../src/service/store/events/duckdb/packed-store.ts'
import { batchOf, select, storedEvent, serviceEventStoreContract } from '../../../../contract/service-event-store.ts'

const createFixture = () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-duckdb-'))
  return {
    folder,
    open: (name = '1.duckdb', memoryMb = 128) =>
      openDuckDbStore({
        file: join(folder, name),
        deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
        memoryMb,
        spillMb: 16,
        threads: 2,
      }),
    cleanUp: () => rmSync(folder, { recursive: true }),
  }
}

serviceEventStoreContract(createFixture)

describe('the DuckDB event store', () => {
  let fixture: ReturnType<typeof createFixture>
  let store: EventStore
  beforeEach(async () => {
    fixture = createFixture()
    store = await fixture.open()
    writeFileSync(join(fixture.folder, 'secret.csv'), 'secret\n42\n')
  })
  afterEach(async () => {
    await store.close()
    fixture.cleanUp()
  })

  it('writes changes of properties beside those of persons in a file of the version before', async () => {
    const [ada] = [derivePersonId(1, 'ada')]
    const person = { id: ada, createdAt: 0, isIdentified: false, properties: { plan: 'pro', old: 1 } }
    const group = { type: 'company', key: 'acme', createdAt: 0, properties: { seats: 5 } }
    const none = { persons: [], distinctIds: new Map<string, string>(), groups: [] }
    await store.commit(batchOf([], { persons: { ...none, persons: [person], groups: [group] } }))
    await store.close()
    const instance = await openInstance(join(fixture.folder, '1.duckdb'), { memoryMb: 128, spillMb: 16, threads: 1 })
    const connection = await instance.connect()
    for (const statement of [
      'CREATE OR REPLACE VIEW persons AS SELECT id, properties, created_at, is_identified FROM internal.persons',
      'CREATE OR REPLACE VIEW internal.resolved_persons AS SELECT id, properties, created_at, is_identified FROM internal.persons',
      'CREATE OR REPLACE VIEW groups AS SELECT group_type, group_key, properties, created_at FROM internal.groups',
      'DROP VIEW internal.current_persons',
      'DROP VIEW internal.current_groups',
      'DROP TABLE internal.person_changes',
      'DROP TABLE internal.group_changes',
      "UPDATE internal.schema_version SET version = 'before'",
    ])
      await connection.run(statement)
    connection.closeSync()
    instance.closeSync()

    store = await fixture.open()
    const changedNames = new Map([
      [ada, new Set(['plan'])],
      [groupKey('company', 'acme'), new Set(['plan'])],
    ])
    const changed = {
      ...none,
      persons: [{ ...person, properties: { plan: 'free', old: 1 } }],
      groups: [{ ...group, properties: { seats: 5, plan: 'free' } }],
      changedNames,
    }
    await store.commit(batchOf([], { position: positionAfterRow(2), persons: changed }))
    for (const table of ['persons', 'groups'])
      expect(
        await select(store, `SELECT properties->>'plan', properties->>'old', properties->>'seats' FROM ${table}`),
      ).toEqual([['free', ...(table === 'persons' ? ['1', null] : [null, '5'])]])
  })

  it('closes its file after a query of which not all rows were read', async () => {
    const log = join(fixture.folder, '1.duckdb.wal')
    await store.commit(batchOf([storedEvent(1)]))
    expect(existsSync(log)).toBe(true)
    const sql = 'SELECT n FROM range(10000000) AS numbers(n)'
    expect(await store.query({ sql, timeoutMs: 10_000, maxRows: 1 })).toMatchObject({ rows: [[0]], hasMore: true })
    await store.close()
    expect(existsSync(log)).toBe(false)
    store = await fixture.open()
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
  })

  it.each([
    ['forbidden', "SELECT * FROM read_csv('FOLDER/secret.csv')"],
    ['forbidden', "SELECT * FROM 'FOLDER/secret.csv'"],
    ['forbidden', "SELECT * FROM read_text('/etc/passwd')"],
    ['forbidden', "SELECT * FROM glob('/*')"],
    ['forbidden', 'SELECT * FROM duckdb_databases()'],
    ['forbidden', 'SELECT * FROM duckdb_settings()'],
    ['forbidden', 'SELECT * FROM duckdb_tables'],
    ['forbidden', 'SELECT * FROM information_schema.tables'],
    ['forbidden', 'SELECT * FROM sqlite_master'],
    ['forbidden', 'SELECT * FROM internal.events'],
    ['forbidden', 'SELECT * FROM internal.rejected'],
    ['forbidden', 'SELECT * FROM events_file.internal.progress'],
    ['forbidden', 'SELECT * FROM events_file.main.persons'],
    ['forbidden', 'SELECT * FROM memory.main.events'],
    ['forbidden', "SELECT memory.lower('A')"],
    ['forbidden', "SELECT events_file.lower('A')"],
    ['forbidden', 'SELECT 1 WHERE EXISTS (FROM internal.events)'],
    ['forbidden', 'WITH x AS (FROM internal.events) SELECT * FROM x'],
    ['forbidden', 'SELECT * FROM (WITH duckdb_tables AS (SELECT 1) SELECT 1), duckdb_tables'],
    ['forbidden', 'WITH duckdb_databases AS (SELECT * FROM duckdb_databases) SELECT * FROM duckdb_databases'],
    ['forbidden', 'WITH duckdb_tables AS (SELECT * FROM duckdb_tables) SELECT * FROM duckdb_tables'],
    ['forbidden', 'WITH sqlite_master AS (SELECT * FROM sqlite_master) SELECT * FROM sqlite_master'],
    ['forbidden', 'WITH Pragma_Database_List AS (FROM pragma_database_list) SELECT * FROM pragma_database_list'],
    ['forbidden', 'WITH a AS (SELECT * FROM pragma_database_list), pragma_database_list AS (SELECT 1) SELECT * FROM a'],
    ['forbidden', 'WITH staged_event AS (SELECT * FROM staged_event) SELECT * FROM staged_event'],
    ['forbidden', 'WITH a AS (SELECT * FROM later), later AS (SELECT 1) SELECT * FROM a'],
    ['forbidden', 'WITH own AS (SELECT * FROM own) SELECT * FROM own'],
    ['forbidden', 'WITH RECURSIVE own AS (SELECT * FROM own UNION ALL SELECT 1) SELECT * FROM own'],
    [
      'forbidden',
      'WITH RECURSIVE pg_class AS (SELECT oid FROM pg_class UNION ALL SELECT 1 FROM pg_class WHERE false) FROM pg_class',
    ],
    ['forbidden', 'SELECT * FROM events ORDER BY (SELECT max(inbox_row) FROM internal.progress)'],
    ['forbidden', "SELECT * FROM query_table('internal.events')"],
    ['forbidden', "SELECT * FROM query('FROM internal.events')"],
    ['forbidden', "SELECT current_setting('temp_directory')"],
    ['forbidden', "SELECT getvariable('x')"],
    ['forbidden', 'SELECT * FROM temp.staged_event'],
    ['forbidden', "SELECT * FROM internal.event PIVOT (count(*) FOR event IN ('a'))"],
    ['not_select', "ATTACH 'FOLDER/2.duckdb'"],
    ['not_select', "COPY events TO 'FOLDER/out.csv'"],
    ['not_select', "EXPORT DATABASE 'FOLDER/out'"],
    ['not_select', 'INSTALL httpfs'],
    ['not_select', "SET memory_limit = '10GB'"],
    ['not_select', 'PRAGMA database_list'],
    ['not_select', 'CREATE TEMP TABLE t AS SELECT 1'],
    ['not_select', 'INSERT INTO persons SELECT * FROM persons'],
    ['not_select', 'COMMIT'],
    ['not_select', 'EXPLAIN ANALYZE SELECT 1'],
    ['not_select', 'CALL pragma_database_size()'],
  ])('refuses with %s: %s', async (code, sql) => {
    await expect(select(store, sql.replaceAll('FOLDER', fixture.folder))).rejects.toMatchObject({ code })
    expect(existsSync(join(fixture.folder, 'out.csv'))).toBe(false)
  })

  it('allows recursive queries, window functions, lists and dates', async () => {
    await store.commit(batchOf([storedEvent(1, { properties: { tags: ['a', 'b'], n: 3 } })]))
    const sql = `
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3),
        tagged AS (SELECT uuid, unnest(json_extract_string(properties, '$.tags[*]')) AS tag FROM main.events)
      SELECT tag, count(*) AS total, list(i ORDER BY i), row_number() OVER (ORDER BY tag),
        (SELECT max((properties->>'n')::INT) FROM events), date_trunc('month', DATE '2026-02-03')::DATE
      FROM tagged CROSS JOIN n GROUP BY tag ORDER BY tag`
    expect(await select(store, sql)).toEqual([
      ['a', 3, [1, 2, 3], 1, 3, '2026-02-01'],
      ['b', 3, [1, 2, 3], 2, 3, '2026-02-01'],
    ])
  })

  it('returns JSON-safe values', async () => {
    const sql = `SELECT 9007199254740991::BIGINT, 9007199254740993::BIGINT, 1.50::DECIMAL(9, 2),
      12345678901234567890.12::DECIMAL(38, 2), 100::DECIMAL(5, 0), 'NaN'::DOUBLE,
      {'a': [1, NULL]}, MAP {'k': DATE '2026-01-02'}, '\\x00\\xff'::BLOB, INTERVAL 90 MINUTE, NULL,
      TIMESTAMP '2026-01-02 03:04:05', 'infinity'::TIMESTAMP, true`
    expect((await select(store, sql))[0]).toEqual([
      9007199254740991,
      '9007199254740993',
      1.5,
      '12345678901234567890.12',
      100,
      'NaN',
      { a: [1, null] },
      [{ key: 'k', value: '2026-01-02' }],
      'AP8=',
      '01:30:00',
      null,
      '2026-01-02T03:04:05.000Z',
      'infinity',
      true,
    ])
  })

  it('rejects a query that needs too much memory, and runs later ones', async () => {
    const sql = 'SELECT count(*), max(len(l)) FROM (SELECT array_agg(range) AS l FROM range(300000000))'
    await expect(select(store, sql)).rejects.toMatchObject({ code: 'memory' })
    expect(await select(store, 'SELECT 1')).toEqual([[1]])
  })

  it('rejects an unstorable batch as a whole', async () => {
    const unstorableBatch = batchOf([storedEvent(1), storedEvent(2, { uuid: 'not a uuid' })])
    await expect(store.commit(unstorableBatch)).rejects.toMatchObject({ name: 'UnstorableError' })
    expect([store.position().inboxRow, await select(store, 'SELECT count(*) FROM events')]).toEqual([0, [[0]]])
    await store.commit(batchOf([storedEvent(1)]))
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
  })
})

describe('a commit of the DuckDB event store that lacks memory', () => {
  it('tells that the store must be opened again, which then has all of the commit or nothing', async () => {
    const fixture = createFixture()
    const events = Array.from({ length: 8000 }, (_, n) => storedEvent(n + 1, { properties: { n: `${n}`.repeat(100) } }))
    // With 3 to 6 MB the first commit has enough, and the second has not.
    const smallStore = await fixture.open('1.duckdb', 5)
    await smallStore.commit(batchOf(events))
    await expect(smallStore.commit(batchOf([storedEvent(8001)]))).rejects.toThrow(FailedCommitError)
    await smallStore.close()
    const store = await fixture.open()
    const isStored = store.position().inboxRow === 8001
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[isStored ? 8001 : 8000]])
    await store.commit(batchOf([storedEvent(8002)]))
    expect(await select(store, 'SELECT max(n) FROM (SELECT count(*) AS n FROM events GROUP BY uuid)')).toEqual([[1]])
    await store.close()
    fixture.cleanUp()
  })
})

describe('a search for duplicates in the DuckDB event store', () => {
  it('looks up no event that is later than all that were stored, and finds the stored ones', async () => {
    const fixture = createFixture()
    const deriveOriginId = (distinctId: string): string => derivePersonId(1, distinctId)
    const limits = { memoryMb: 128, spillMb: 16, threads: 1 }
    const open = () => openPackedStore({ file: join(fixture.folder, '1.duckdb'), deriveOriginId, ...limits })
    const [early, late, latest] = [1, 2, 3].map((n) =>
      storedEvent(n, { uuid: `019a000${n}-0000-7000-8000-000000000000` }),
    )
    const first = createEventStore(await open())
    await first.commit(batchOf([early!, late!]))
    await first.close()

    const packedStore = await open()
    let lookUps = 0
    const timesRead = packedStore.readStoredTimes()
    const countingStore: PackedStore = {
      ...packedStore,
      readStoredTimes: () => timesRead,
      findStored(uuids) {
        lookUps += 1
        return packedStore.findStored(uuids)
      },
    }
    const store = createEventStore(countingStore)
    await timesRead
    const resent = { ...early!, inboxRow: 9 }
    expect([...(await store.findDuplicates([latest!, resent]))]).toEqual([resent])
    await store.commit(batchOf([latest!]))
    const resentLatest = { ...latest!, inboxRow: 10 }
    const newest = storedEvent(11, { uuid: '019a0009-0000-7000-8000-000000000000' })
    expect([...(await store.findDuplicates([resentLatest, newest]))]).toEqual([resentLatest])
    expect(lookUps).toBe(1)
    await store.close()
    fixture.cleanUp()
  })
})

describe('a checkpoint of the DuckDB event store that fails', () => {
  it('makes queries say that the store must be opened again, which then has all commits', async () => {
    const fixture = createFixture()
    const limits = { memoryMb: 128, spillMb: 16, threads: 2 }
    const instance = await openCached(join(fixture.folder, '1.duckdb'), limits)
    const connection = await instance.connect()
    await connection.run("SET GLOBAL debug_checkpoint_abort = 'before_header'")
    const store = await fixture.open()
    const otherStore = await fixture.open('2.duckdb')
    // More than the write-ahead log may have.
    const large = [1, 2, 3].map((n) => storedEvent(n, { properties: { text: randomBytes(3e6).toString('hex') } }))
    const error = await store.commit(batchOf(large)).catch((reason: unknown) => reason)
    expect([isInvalidated(error), error instanceof UnstorableError]).toEqual([true, false])
    const queryError = await select(store, 'SELECT count(*) FROM events').catch((reason: unknown) => reason)
    expect(isInvalidated(queryError)).toBe(true)
    for (const sql of [
      "SELECT error('has been invalidated')",
      "SELECT nope FROM events WHERE event = 'has been invalidated'",
    ]) {
      const sqlError = await select(otherStore, sql).catch((reason: unknown) => reason)
      expect([sqlError instanceof Error, isInvalidated(sqlError)]).toEqual([true, false])
    }
    await otherStore.close()
    await store.close()
    connection.closeSync()
    instance.closeSync()
    const reopened = await fixture.open()
    expect(await select(reopened, 'SELECT count(*) FROM events')).toEqual([[3]])
    await reopened.close()
    fixture.cleanUp()
  })
})

describe('a large commit to the DuckDB event store', () => {
  it('leaves its log to no later commit; beside a query it is stored all the same', async () => {
    const fixture = createFixture()
    const store = await fixture.open()
    const log = join(fixture.folder, '1.duckdb.wal')
    const commitLarge = (first: number) =>
      store.commit(
        batchOf(
          [0, 1, 2].map((n) => storedEvent(first + n, { properties: { text: randomBytes(3e6).toString('hex') } })),
        ),
      )
    await commitLarge(1)
    expect(existsSync(log) ? statSync(log).size : 0).toBeLessThan(1e6)
    const query = select(store, 'SELECT count(*), sum(n.range * m.range) FROM events, range(10000) n, range(10000) m')
    await commitLarge(4)
    await query
    await store.commit(batchOf([storedEvent(7)]))
    expect(existsSync(log) ? statSync(log).size : 0).toBeLessThan(1e6)
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[7]])
    await store.close()
    fixture.cleanUp()
  })
})

describe('opening the DuckDB event store', () => {
  it('opens a file of an earlier release and adds the missing columns', async () => {
    const fixture = createFixture()
    const limits = { memoryMb: 128, spillMb: 16, threads: 1 }
    const earlierInstance = await openInstance(join(fixture.folder, '1.duckdb'), limits)
    const connection = await earlierInstance.connect()
    for (const statement of [
      'CREATE SCHEMA internal',
      'CREATE TABLE internal.progress (inbox_row BIGINT NOT NULL)',
      'INSERT INTO internal.progress VALUES (41)',
      `CREATE TABLE internal.event (
        uuid UUID NOT NULL, event VARCHAR NOT NULL, distinct_id VARCHAR NOT NULL, origin_id UUID NOT NULL,
        timestamp TIMESTAMPTZ NOT NULL, received_at TIMESTAMPTZ NOT NULL, properties JSON NOT NULL)`,
      "INSERT INTO internal.event VALUES (uuid(), 'old', 'ada', uuid(), now(), now(), '{}')",
    ]) {
      await connection.run(statement)
    }
    connection.closeSync()
    earlierInstance.closeSync()
    const store = await fixture.open()
    expect(store.position()).toEqual(positionAfterRow(41))
    await store.commit(batchOf([storedEvent(42, { isHistorical: true })]))
    expect(await select(store, 'SELECT event, historical FROM events ORDER BY historical')).toEqual([
      ['old', false],
      ['a', true],
    ])
    await store.close()
    fixture.cleanUp()
  })

  it('leaves nothing open after a failure, so that later commits survive a crash', async () => {
    const fixture = createFixture()
    // A folder in place of the file of uuid claims makes each open fail.
    const claimsPath = join(fixture.folder, '1.duckdb.uuids')
    mkdirSync(claimsPath)
    for (let attempt = 0; attempt < 3; attempt++) await expect(fixture.open()).rejects.toThrow()
    rmdirSync(claimsPath)
    const store = await fixture.open()
    await store.commit(batchOf([storedEvent(1), storedEvent(2)]))
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    for (let turn = 0; turn < 3; turn++) {
      collectGarbage()
      await new Promise((resolve) => setImmediate(resolve))
    }
    // A copy of the files, as a crash would leave them now.
    for (const suffix of ['', '.wal', '.uuids']) {
      const file = join(fixture.folder, `1.duckdb${suffix}`)
      if (existsSync(file)) cpSync(file, join(fixture.folder, `crashed.duckdb${suffix}`))
    }
    const crashedStore = await fixture.open('crashed.duckdb')
    expect(crashedStore.position().inboxRow).toBe(2)
    expect(await select(crashedStore, 'SELECT count(*) FROM events')).toEqual([[2]])
    await crashedStore.close()
    await store.close()
    fixture.cleanUp()
  })
})
