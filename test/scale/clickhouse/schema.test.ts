import { expect, test } from 'vitest'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { groupKey } from '../../../src/service/persons/person.ts'
import { connectClickHouse } from '../../../src/service/store/events/clickhouse/connect.ts'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import {
  createMember,
  createOwnerTable,
  createSchemaTable,
  createTables,
} from '../../../src/service/store/events/clickhouse/schema.ts'
import type { PersonCopyUpdate } from '../../../src/service/store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../../src/service/store/events/event-store.ts'
import { batchOf, select, storedEvent } from '../../contract/service-event-store.ts'
import { HAS_FAULTS } from './start-clickhouse.ts'
import { useClickHouse } from './store-under-test.ts'

const { getServer } = useClickHouse()

test('adds the columns that an earlier version did not have, also for the events that are stored already', async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  const open = () => openClickHouseStore({ server, projectId: 1 })
  const store = await open()
  await store.commit(batchOf([storedEvent(1, { properties: { utm_source: 'news' } })]))
  await store.close()
  const { administrator, close } = await connectClickHouse(server, 1)
  await administrator.command({ query: 'DROP VIEW events' })
  await administrator.command({ query: 'ALTER TABLE stored_events DROP COLUMN utm_source' })
  await administrator.command({ query: 'TRUNCATE TABLE applied_schemas' })
  await close()
  const reopened = await open()
  expect(await select(reopened, 'SELECT utm_source FROM events')).toEqual([['news']])
  await reopened.close()
})

test('asks a database that has the schema for it, and does nothing more', async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  const open = () => openClickHouseStore({ server, projectId: 1, owner: 'project' })
  await (await open()).close()
  if (HAS_FAULTS)
    await getServer().setFault({ kind: 'refuse', matching: '^\\s*(CREATE|ALTER|GRANT|INSERT)', message: 'Only reads.' })
  const store = await open()
  expect(await select(store, 'SELECT 1')).toEqual([[1]])
  await store.close()
  if (HAS_FAULTS) await getServer().setFault({ kind: 'none' })
})

test('creates the user for the SQL of members again when it is missing', async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  const open = () => openClickHouseStore({ server, projectId: 1 })
  await (await open()).close()
  const { administrator, memberName, close } = await connectClickHouse(server, 1)
  await administrator.command({ query: `DROP USER ${memberName}` })
  await close()
  const store = await open()
  expect(await select(store, 'SELECT count() FROM events')).toEqual([[0]])
  await store.close()
})

test.skipIf(!HAS_FAULTS)('shows persons to members of a server that has the analyzer of before 24.3', async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  await getServer().setFault({ kind: 'answer', matching: 'enable_analyzer', text: '[0]\n', count: 1 })
  const store = await openClickHouseStore({ server, projectId: 1 })
  const person = { id: derivePersonId(1, 'ada'), properties: { a: 1 }, createdAt: 0, isIdentified: true }
  const stored = { bytes: 9, baseBytes: 9, changeBytes: 0 }
  const group = { type: 'company', key: 'acme', properties: { a: 1 }, createdAt: 0, stored }
  const write = (update: Partial<PersonCopyUpdate>) =>
    store.commit(batchOf([], { persons: { ...NO_PERSON_UPDATE, ...update } }))
  await write({ persons: [{ ...person, stored }], groups: [group], revision: 1 })
  const changed = { ...person, properties: { b: 2 }, stored }
  const names = new Set(['a', 'b'])
  const changedNames = new Map([
    [person.id, names],
    [groupKey('company', 'acme'), names],
  ])
  await write({ persons: [changed], groups: [{ ...group, properties: { b: 2 } }], changedNames, revision: 2 })
  const { member, close } = await connectClickHouse(server, 1)
  for (const table of ['persons', 'groups']) {
    const answer = await member.query({
      query: `SELECT properties FROM ${table}`,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { allow_experimental_analyzer: 0 },
    })
    expect(await answer.json()).toEqual([['{"b":2}']])
  }
  await Promise.all([close(), store.close()])
})

test.each([
  ['one server', { database: 'waymark_1' }],
  ['a cluster', { database: 'waymark_1', cluster: 'main' }],
])('has the statements that were reviewed, for %s', async (name, place) => {
  const statements = [
    createOwnerTable(place),
    ...createTables(place),
    ...createMember(place, { name: 'waymark_1_member', password: 'secret' }),
    createSchemaTable(place),
  ]
  const { server, close } = await connectClickHouse({ ...getServer().options, databasePrefix: 'none' }, 1)
  for (const statement of statements) await server.command({ query: `EXPLAIN AST ${statement}` })
  await close()
  await expect(`${statements.join(';\n\n')};\n`).toMatchFileSnapshot(
    `schema-of-${name.replace(/^an? /, '').replace(' ', '-')}.sql`,
  )
})
