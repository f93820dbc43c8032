import { expect, test } from 'vitest'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { groupKey } from '../../../src/service/persons/person.ts'
import { connectClickHouse } from '../../../src/service/store/events/clickhouse/connect.ts'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import { positionAfterRow } from '../../../src/service/store/row-position.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { batchOf, select } from '../../contract/service-event-store.ts'
import { useClickHouse } from './store-under-test.ts'

const { getServer } = useClickHouse()

const ADA = derivePersonId(1, 'ada')

/** A person and a group with 60 properties of 8 KiB, and what writes and reads both. */
const openStore = async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  const open = (node: string) => openClickHouseStore({ server, projectId: 1, node })
  const store = await open('local')
  let row = 0
  const write = async (
    revision: number,
    properties: JsonObject,
    names?: readonly string[],
    writer = store,
  ): Promise<void> => {
    const changedNames = new Map([ADA, groupKey('company', 'acme')].map((key) => [key, new Set(names)] as const))
    const persons = {
      persons: [{ id: ADA, properties, createdAt: revision * 1000, isIdentified: revision > 1 }],
      distinctIds: new Map([['ada', ADA]]),
      groups: [{ type: 'company', key: 'acme', properties, createdAt: revision * 1000 }],
      revision,
      ...(names && { changedNames }),
    }
    await writer.commit(batchOf([], { position: positionAfterRow((row += 1)), persons }))
  }
  const read = async (): Promise<unknown[]> => {
    const readOne = async (columns: string, table: string): Promise<unknown[]> => {
      const [[properties, ...others]] = (await select(store, `SELECT ${columns} FROM ${table}`)) as [unknown[]]
      return [JSON.parse(String(properties)), ...others]
    }
    const person = await readOne('properties, created_at, is_identified', 'persons')
    expect(await readOne('properties, created_at', 'groups')).toEqual(person.slice(0, 2))
    return person
  }
  const asAdministrator = async (query: string): Promise<void> => {
    const { administrator, close } = await connectClickHouse(server, 1)
    await administrator.command({ query })
    await close()
  }
  return { store, open, write, read, asAdministrator }
}

const LARGE: JsonObject = Object.fromEntries(
  Array.from({ length: 60 }, (_, n) => [`p${n}`, String(n).padEnd(8192, 'x')]),
)

test('shows the changes of a large person and group, with their time', async () => {
  const { store, write, read } = await openStore()
  await write(1, LARGE)
  const { p0: _, p59: __, ...kept } = LARGE
  const changed = { ...kept, p1: 'new', 'a.b"\n(': 18446744073709551616 }
  await write(2, changed, ['p0', 'p1', 'p59', 'a.b"\n('])
  expect(await read()).toEqual([changed, '1970-01-01T00:00:02.000Z', true])
  expect(await select(store, "SELECT count() FROM persons WHERE JSONExtractString(properties, 'p1') = 'new'")).toEqual([
    [1],
  ])
  await write(3, { all: 1 })
  expect(await read()).toEqual([{ all: 1 }, '1970-01-01T00:00:03.000Z', true])
  await store.close()
})

test('shows a person without properties when all were removed', async () => {
  const { store, write, read } = await openStore()
  await write(1, LARGE)
  await write(2, {}, Object.keys(LARGE))
  expect((await read())[0]).toEqual({})
  await store.close()
})

test('ignores a change of one node that is stored after all properties of another, which are newer', async () => {
  const { store, open, write, read } = await openStore()
  await write(1, LARGE)
  await write(4, { ...LARGE, plan: 'pro' })
  const late = await open('late')
  await write(3, { ...LARGE, plan: 'free' }, ['plan'], late)
  await late.close()
  expect(await read()).toEqual([{ ...LARGE, plan: 'pro' }, '1970-01-01T00:00:04.000Z', true])
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
  await write(2, { ...kept, 'é/"': null }, ['p0', 'é/"'])
  expect((await read())[0]).toEqual({ ...kept, 'é/"': null })
  await store.close()
})
