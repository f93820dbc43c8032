import { expect, test } from 'vitest'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { groupKey } from '../../../src/service/persons/person.ts'
import { connectClickHouse } from '../../../src/service/store/events/clickhouse/connect.ts'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import { readRows } from '../../../src/service/store/events/clickhouse/read-rows.ts'
import type { EventStore, PersonCopyUpdate } from '../../../src/service/store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../../src/service/store/events/event-store.ts'
import { positionAfterRow } from '../../../src/service/store/row-position.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { batchOf, select } from '../../contract/service-event-store.ts'
import { useClickHouse } from './store-under-test.ts'

const { getServer } = useClickHouse()

const [ADA, BOB] = [derivePersonId(1, 'ada'), derivePersonId(1, 'bob')]

/** How `write` writes. */
interface WriteOptions {
  /** Default: all. */
  readonly names?: readonly string[] | undefined
  readonly writer?: EventStore
  /** The size of the base in the metadata. */
  readonly baseBytes?: number
  readonly update?: Partial<PersonCopyUpdate>
}

/** What writes and reads a person and a group with the same properties. */
const openStore = async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  const open = (node = 'local') => openClickHouseStore({ server, projectId: 1, node })
  const store = await open()
  let row = 0
  const commit = (revision: number, update: Partial<PersonCopyUpdate>, writer = store): Promise<void> =>
    writer.commit(
      batchOf([], {
        position: positionAfterRow((row += 1)),
        persons: { ...NO_PERSON_UPDATE, revision, ...update },
      }),
    )
  const write = async (
    revision: number,
    properties: JsonObject,
    { names, writer = store, baseBytes = 500_000, update }: WriteOptions = {},
  ): Promise<void> => {
    const stored = { bytes: baseBytes, baseBytes, changeBytes: 0 }
    const keys = [ADA, groupKey('company', 'acme')]
    const written = {
      persons: [{ id: ADA, properties, createdAt: revision * 1000, isIdentified: revision > 1, stored }],
      distinctIds: new Map([['ada', ADA]]),
      groups: [{ type: 'company', key: 'acme', properties, createdAt: revision * 1000, stored }],
      ...(names && { changedNames: new Map(keys.map((key) => [key, new Set(names)] as const)) }),
      ...update,
    }
    await commit(revision, written, writer)
  }
  const readString = async (reader = store): Promise<string> => {
    const [persons, groups] = await Promise.all(
      ['persons', 'groups'].map((table) => select(reader, `SELECT properties FROM ${table}`)),
    )
    expect(groups).toEqual(persons)
    expect(persons).toHaveLength(1)
    return (persons as [[string]])[0][0]
  }
  const read = async (): Promise<unknown[]> => {
    const [[, ...others]] = (await select(store, 'SELECT id, created_at, is_identified FROM persons')) as [unknown[]]
    expect(await select(store, 'SELECT created_at FROM groups')).toEqual([[others[0]]])
    const properties = await readString()
    expect(properties).not.toContain('\n')
    return [JSON.parse(properties), ...others]
  }
  const connected = async <Result>(
    use: (connection: Awaited<ReturnType<typeof connectClickHouse>>) => Promise<Result>,
  ) => {
    const connection = await connectClickHouse(server, 1)
    try {
      return await use(connection)
    } finally {
      await connection.close()
    }
  }
  const asAdministrator = (...queries: readonly string[]): Promise<void> =>
    connected(async ({ administrator }) => {
      for (const query of queries) await administrator.command({ query })
    })
  /** How many rows of changes there are after all parts were merged, and how many of them have a value. */
  const countChanges = async (table = 'stored_person_changes'): Promise<readonly number[]> => {
    await asAdministrator(`OPTIMIZE TABLE ${table} FINAL`)
    const [[rows, values]] = (await select(store, `SELECT count(), countIf(value != '') FROM ${table}`)) as [number[]]
    return [rows!, values!]
  }
  return { store, open, commit, write, read, readString, asAdministrator, connected, countChanges }
}

/** 60 properties of 8 KiB. */
const LARGE: JsonObject = Object.fromEntries(
  Array.from({ length: 60 }, (_, n) => [`p${n}`, String(n).padEnd(8192, 'x')]),
)

test('shows the changes of a large person and group, with their time', async () => {
  const { store, write, read, countChanges } = await openStore()
  await write(1, LARGE)
  const { p0: _, p59: __, ...kept } = LARGE
  const changed = { ...kept, p1: 'new', 'a.b"\n(': 18446744073709551616 }
  await write(2, changed, { names: ['p0', 'p1', 'p59', 'a.b"\n('] })
  expect(await countChanges()).toEqual([5, 2])
  expect(await read()).toEqual([changed, '1970-01-01T00:00:02.000Z', true])
  expect(await select(store, "SELECT count() FROM persons WHERE JSONExtractString(properties, 'p1') = 'new'")).toEqual([
    [1],
  ])
  await write(3, { all: 1 })
  expect(await read()).toEqual([{ all: 1 }, '1970-01-01T00:00:03.000Z', true])
  await store.close()
})

test('shows the same string as of small properties, also to conditions', async () => {
  const { store, write, readString } = await openStore()
  await write(1, LARGE)
  expect(await readString()).toBe(JSON.stringify(LARGE))
  await write(2, { ...LARGE, plan: 'a\nb' }, { names: ['plan'] })
  const changed = JSON.stringify({ plan: 'a\nb', ...LARGE })
  expect(await readString()).toBe(changed)
  for (const table of ['persons', 'groups'])
    expect(
      await select(store, `SELECT length(properties), properties LIKE '{"plan":%","p1":"1x%' FROM ${table}`),
    ).toEqual([[changed.length, 1]])
  await store.close()
})

test('shows a person without properties when all were removed', async () => {
  const { store, write, read } = await openStore()
  await write(1, LARGE)
  await write(2, {}, { names: Object.keys(LARGE) })
  expect((await read())[0]).toEqual({})
  await store.close()
})

test('ignores a change of one node that is stored after all properties of another, which are newer', async () => {
  const { store, open, write, read } = await openStore()
  const late = await open('late')
  await write(1, LARGE, { writer: late })
  await write(4, { ...LARGE, plan: 'pro' })
  await write(3, { ...LARGE, plan: 'free' }, { names: ['plan'], writer: late })
  await late.close()
  expect(await read()).toEqual([{ ...LARGE, plan: 'pro' }, '1970-01-01T00:00:04.000Z', true])
  await store.close()
})

test.each([
  ['never reached ClickHouse', false],
  ['is beside an older one in ClickHouse', true],
])('writes all properties when a base of another node %s', async (_, hasOlder) => {
  const { store, write, read, countChanges } = await openStore()
  if (hasOlder) await write(1, { ...LARGE, old: 1 }, { baseBytes: 400_000 })
  // The other node wrote revision 2 to the metadata and died.
  await write(3, { ...LARGE, plan: 'pro' }, { names: ['plan'] })
  expect((await read())[0]).toEqual({ ...LARGE, plan: 'pro' })
  await write(4, { ...LARGE, plan: 'free' }, { names: ['plan'] })
  expect((await read())[0]).toEqual({ ...LARGE, plan: 'free' })
  expect(await countChanges()).toEqual([2, 1])
  await store.close()
})

test('keeps the changes of a commit that is repeated', async () => {
  const { store, write, read, countChanges } = await openStore()
  await write(1, LARGE)
  for (let time = 0; time < 2; time++) await write(2, { ...LARGE, plan: 'pro' }, { names: ['plan'] })
  expect(await read()).toEqual([{ ...LARGE, plan: 'pro' }, '1970-01-01T00:00:02.000Z', true])
  expect(await countChanges()).toEqual([2, 1])
  await store.close()
})

test('deletes the values of changes when all properties are written', async () => {
  const { store, write, read, countChanges } = await openStore()
  await write(1, LARGE)
  await write(2, { ...LARGE, email: 'ada@example.com' }, { names: ['email'] })
  await write(3, LARGE)
  expect((await read())[0]).toEqual(LARGE)
  for (const table of ['stored_person_changes', 'stored_group_changes'])
    expect(await countChanges(table)).toEqual([2, 0])
  // The same property again, beside rows that are replaced.
  await write(4, { ...LARGE, email: 'new' }, { names: ['email'] })
  expect((await read())[0]).toEqual({ ...LARGE, email: 'new' })
  expect(await countChanges()).toEqual([2, 1])
  await write(5, { plan: 'pro' }, { update: { changedBefore: new Set() } })
  // Nobody told that there were changes, which do not count all the same.
  expect((await read())[0]).toEqual({ plan: 'pro' })
  await store.close()
})

test('deletes replaced changes a week later, and keeps removed properties', async () => {
  const { store, write, read, countChanges, asAdministrator } = await openStore()
  await write(1, { ...LARGE, email: 'ada@example.com' })
  await write(2, LARGE, { names: ['email'] })
  await asAdministrator(
    `INSERT INTO stored_person_changes (id, name, version, removed_at)
      SELECT reinterpretAsUUID(MD5(toString(days))), '"plan"', 1, now() - toIntervalDay(days)
      FROM (SELECT arrayJoin([6, 8]) AS days)`,
  )
  expect(await countChanges()).toEqual([3, 0])
  expect((await read())[0]).toEqual(LARGE)
  await store.close()
})

test('deletes the changes of a person who was merged into another', async () => {
  const { store, commit, write, countChanges } = await openStore()
  await write(1, LARGE)
  await write(2, { ...LARGE, email: 'ada@example.com' }, { names: ['email'] })
  const properties = { plan: 'pro' }
  const bob = { id: BOB, properties, createdAt: 0, isIdentified: true }
  await commit(3, { persons: [bob], distinctIds: new Map([['ada', BOB]]), changedBefore: new Set([ADA]) })
  expect(await select(store, 'SELECT id, properties FROM persons')).toEqual([[BOB, '{"plan":"pro"}']])
  expect(await countChanges()).toEqual([2, 0])
  await store.close()
})

test('shows the changes of a person who has the public id of another', async () => {
  const { store, write, readString } = await openStore()
  const publicId = derivePersonId(1, 'public')
  const stored = { bytes: 500_000, baseBytes: 500_000, changeBytes: 0 }
  const persons = [{ id: ADA, publicId, properties: LARGE, createdAt: 0, isIdentified: true, stored }]
  await write(1, LARGE, { update: { persons } })
  expect(await readString()).toBe(JSON.stringify(LARGE))
  await write(2, { ...LARGE, plan: 'pro' }, { names: ['plan'] })
  expect(JSON.parse(await readString())).toEqual({ ...LARGE, plan: 'pro' })
  expect(await select(store, `SELECT count() FROM persons WHERE id = '${publicId}'`)).toEqual([[1]])
  await store.close()
})

test('has no changes of before when all persons and groups are replaced', async () => {
  const { store, write, read, countChanges } = await openStore()
  await write(5, LARGE)
  await write(6, { ...LARGE, email: 'ada@example.com' }, { names: ['email'] })
  await write(3, {}, { update: { persons: [], groups: [], distinctIds: new Map(), replacesAll: true } })
  expect(await countChanges()).toEqual([0, 0])
  expect(await select(store, 'SELECT count() FROM persons')).toEqual([[0]])
  // The base is gone, too.
  await write(4, { ...LARGE, plan: 'pro' }, { names: ['plan'] })
  expect((await read())[0]).toEqual({ ...LARGE, plan: 'pro' })
  await store.close()
})

test('changes properties that an earlier version wrote without lines', async () => {
  const { store, write, read, asAdministrator } = await openStore()
  await write(1, LARGE)
  for (const table of ['stored_persons', 'stored_groups'])
    await asAdministrator(
      `ALTER TABLE ${table} UPDATE properties = replaceAll(properties, '\\n', '') WHERE TRUE SETTINGS mutations_sync = 1`,
    )
  const { p0: _, ...kept } = LARGE
  await write(2, { ...kept, 'é/"': null }, { names: ['p0', 'é/"'] })
  expect((await read())[0]).toEqual({ ...kept, 'é/"': null })
  await store.close()
})

const EARLIER_TABLES = [
  `CREATE TABLE stored_person_changes (id UUID, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'),
    is_identified Bool, version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY (id, name)`,
  `CREATE TABLE stored_group_changes (group_type LowCardinality(String), group_key String, name String, value String CODEC(ZSTD(1)),
    created_at DateTime64(3, 'UTC'), version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY (group_type, group_key, name)`,
  `INSERT INTO stored_person_changes VALUES ('${ADA}', '', '', 2, true, 2), ('${ADA}', '"plan"', '"pro"', 2, true, 2)`,
  `INSERT INTO stored_group_changes VALUES ('company', 'acme', '', '', 2, 2), ('company', 'acme', '"plan"', '"pro"', 2, 2)`,
]

test.each([
  ['without changes', [], LARGE],
  ['with changes that are never deleted', EARLIER_TABLES, { ...LARGE, plan: 'pro' }],
])('upgrades the tables of a version %s', async (_, statements, properties) => {
  const { store, open, write, readString, asAdministrator } = await openStore()
  await write(1, LARGE)
  await store.close()
  await asAdministrator(
    'DROP TABLE stored_person_changes',
    'DROP TABLE stored_group_changes',
    'DROP TABLE person_parts',
    'DROP TABLE group_parts',
    ...statements,
    'TRUNCATE TABLE applied_schemas',
  )
  const reopened = await open()
  expect(JSON.parse(await readString(reopened))).toEqual(properties)
  await write(3, { ...LARGE, plan: 'free' }, { names: ['plan'], writer: reopened })
  await write(4, { ...LARGE, plan: 'none' }, { names: ['plan'], writer: reopened })
  expect(JSON.parse(await readString(reopened))).toEqual({ ...LARGE, plan: 'none' })
  await reopened.close()
})

test('reads persons with many changes in little memory', async () => {
  const { store, asAdministrator, connected } = await openStore()
  const count = 20_000
  await asAdministrator(
    `INSERT INTO stored_persons SELECT reinterpretAsUUID(MD5(toString(number))), '{\\n"a":1\\n}', now64(3), true, false, 1
      FROM numbers(${count})`,
    `INSERT INTO stored_person_changes (id, name, value, version)
      SELECT reinterpretAsUUID(MD5(toString(number))), name, if(name = '', '', concat('"', repeat('x', 20000), '"')), 2
      FROM (SELECT number, arrayJoin(['', '"b"']) AS name FROM numbers(${count})) SETTINGS max_block_size = 1000`,
  )
  const read = (query: string): Promise<readonly (readonly unknown[])[]> =>
    connected(({ administrator }) =>
      readRows(administrator, `${query} SETTINGS max_threads = 1, max_memory_usage = ${200 * 1024 * 1024}`),
    )
  expect(await read('SELECT count(), min(length(properties)), max(length(properties)) FROM persons')).toEqual([
    [String(count), '20014', '20014'],
  ])
  expect(await read('SELECT length(properties) FROM persons LIMIT 1')).toEqual([['20014']])
  await store.close()
})
