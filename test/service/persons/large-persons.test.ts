import { expect, test } from 'vitest'
import { loadGroups } from '../../../src/service/store/metadata/groups.ts'
import { findPersonByPublicId } from '../../../src/service/store/metadata/persons.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { readPerson } from '../../../src/service/persons/read-person.ts'
import { openPersonsTestBed } from './persons-test-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const set = (id: string, $set: object, $unset: readonly string[] = []) => event('$set', id, { $set, $unset })
const setGroup = ($group_set: object) =>
  event('$groupidentify', 'ada', { $group_type: 'company', $group_key: 'acme', $group_set })

/** 60 properties of 8 KiB. */
const LARGE = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`p${n}`, String(n).padEnd(8192, 'x')]))

const openBed = async () => {
  const testBed = await openPersonsTestBed()
  const { metadata } = testBed
  const send = (...events: object[]) => testBed.index([testBed.createRow(events)])
  /** The base of ada, and the names beside it. */
  const readRows = async (distinctId = 'ada') => {
    const id = derivePersonId(1, distinctId)
    const person = await metadata.selectFrom('persons').selectAll().where('id', '=', id).executeTakeFirst()
    const changes = await metadata.selectFrom('person_changes').selectAll().where('person_id', '=', id).execute()
    return { base: person && JSON.parse(person.properties), names: changes.map(({ name }) => name).toSorted() }
  }
  /** The properties of the first person, which all readers see. */
  const readProperties = async (distinctId = 'ada') => {
    const [person] = await testBed.readMetadataPersons()
    expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
    const found = await readPerson(metadata, 1, distinctId)
    expect(found?.properties).toEqual(person!.properties)
    expect((await findPersonByPublicId(metadata, 1, found!.id))?.properties).toEqual(person!.properties)
    return person!.properties
  }
  return { ...testBed, send, readRows, readProperties }
}

test('a small change of a large person is written by itself, and seen by all who read the person', async () => {
  const { send, readRows, readProperties, restart, query } = await openBed()
  await send(set('ada', LARGE))
  await send(set('ada', { plan: 'pro', p1: null, nested: { a: null } }, ['p2']))
  restart()
  await send(set('ada', { plan: 'free', ['__proto__']: 1, 'é"': '\0' }, ['p3', 'none']))
  expect(await readRows()).toEqual({
    base: LARGE,
    names: ['"__proto__"', '"nested"', '"p1"', '"p2"', '"p3"', '"plan"', '"é\\""'],
  })
  const { p2: _, p3: __, ...rest } = LARGE
  const changed = { p1: null, plan: 'free', nested: { a: null }, ['__proto__']: 1, 'é"': '\0' }
  expect(await readProperties()).toEqual({ ...rest, ...changed })
  expect(
    await query(`SELECT properties->>'plan', properties->>'p2', properties->'nested'->>'a', length(properties->>'p4')
      FROM persons WHERE properties->>'plan' = 'free'`),
  ).toEqual([['free', null, null, 8192]])
})

test('changes become part of the base when they are a quarter of its size', async () => {
  const { send, readRows, readProperties, restart } = await openBed()
  await send(set('ada', LARGE))
  const expected: Record<string, string> = { ...LARGE }
  let written = 0
  for (let n = 0; n < 40; n++) {
    const value = `new ${n}`.padEnd(8192, 'y')
    expected[`p${n}`] = value
    await send(set('ada', { [`p${n}`]: value }))
    if (n % 10 === 5) restart()
    const { base, names } = await readRows()
    written += names.length === 0 ? JSON.stringify(base).length : value.length
    expect(names.length).toBeLessThanOrEqual(15)
  }
  expect(await readProperties()).toEqual(expected)
  // Each change, and two or three times the whole.
  expect(written).toBeLessThan(40 * 8192 + 3 * 60 * 8300)
})

test('a small person is written as a whole', async () => {
  const { send, readRows } = await openBed()
  await send(set('ada', { plan: 'pro' }))
  await send(set('ada', { plan: 'free' }))
  expect(await readRows()).toEqual({ base: { plan: 'free' }, names: [] })
})

test('an event that makes a large person older, or identifies it, leaves its properties where they are', async () => {
  const { send, readRows, metadata, readStorePersons, readMetadataPersons } = await openBed()
  await send({ ...set('ada', LARGE), timestamp: '2026-02-01T00:00:00Z' })
  await send({ ...event('$identify', 'ada'), timestamp: '2026-01-01T00:00:00Z' })
  expect(await readMetadataPersons()).toMatchObject([{ isIdentified: true, createdAt: Date.UTC(2026, 0, 1) }])
  expect(await readStorePersons()).toEqual(await readMetadataPersons())
  expect(await readRows()).toEqual({ base: LARGE, names: [] })
  expect(await metadata.selectFrom('persons').select('has_changes').execute()).toEqual([{ has_changes: 1 }])
})

test('an older event keeps the properties of a large group that it does not set', async () => {
  const { send, metadata, query } = await openBed()
  await send({ ...setGroup(LARGE), timestamp: '2026-02-01T00:00:00Z' })
  await send({ ...setGroup({ plan: 'pro' }), timestamp: '2026-02-02T00:00:00Z' })
  await send({ ...setGroup({ plan: 'enterprise' }), timestamp: '2026-01-01T00:00:00Z' })
  const [group] = await loadGroups(metadata, 1, [{ type: 'company', key: 'acme' }])
  expect(group).toMatchObject({ createdAt: Date.UTC(2026, 0, 1), properties: { ...LARGE, plan: 'enterprise' } })
  expect(await query("SELECT properties->>'plan' FROM groups")).toEqual([['enterprise']])
})

test.each(['ada', 'bob'])('a merge into %s writes the properties that it adds to the large person', async (stays) => {
  const { send, readRows, readMetadataPersons, readStorePersons } = await openBed()
  await send(set('ada', LARGE), set('bob', { of: 'bob', p1: 'bob' }))
  await send(set('ada', { of: 'ada' }))
  await send(event('$create_alias', stays === 'ada' ? 'bob' : 'ada', { alias: stays }))
  const p1 = stays === 'ada' ? LARGE['p1'] : 'bob'
  expect(await readMetadataPersons()).toMatchObject([
    { first: stays, distinctIds: ['ada', 'bob'], properties: { ...LARGE, of: stays, p1 } },
  ])
  expect(await readStorePersons()).toEqual(await readMetadataPersons())
  expect(await readRows()).toEqual({ base: LARGE, names: stays === 'ada' ? ['"of"'] : ['"of"', '"p1"'] })
})

test('a large person that is merged leaves no change behind', async () => {
  const { send, metadata, readMetadataPersons, readStorePersons } = await openBed()
  await send(set('ada', LARGE), set('bob', LARGE))
  await send(set('ada', { of: 'ada' }), set('bob', { of: 'bob' }))
  await send(event('$create_alias', 'ada', { alias: 'bob' }))
  expect(await readMetadataPersons()).toMatchObject([{ distinctIds: ['ada', 'bob'], properties: { of: 'bob' } }])
  expect(await readStorePersons()).toEqual(await readMetadataPersons())
  const changes = await metadata.selectFrom('person_changes').select('person_id').execute()
  expect(changes).toEqual([{ person_id: derivePersonId(1, 'bob') }])
})

test.each(['killed', 'disk full'] as const)('a change that is replayed is in both stores (%s)', async (reason) => {
  const { send, createRow, index, failIndexing, readProperties } = await openBed()
  await send(set('ada', LARGE), setGroup(LARGE))
  const rows = [createRow([set('ada', { plan: 'pro' }, ['p1']), setGroup({ plan: 'pro' })])]
  await failIndexing(rows, reason)
  await index(rows)
  const { p1: _, ...rest } = LARGE
  expect(await readProperties()).toEqual({ ...rest, plan: 'pro' })
})

test('a new store gets the changes beside large persons, too', async () => {
  const { send, readProperties, replaceStore, refresh } = await openBed()
  await send(set('ada', LARGE), setGroup(LARGE))
  await send(set('ada', { plan: 'pro' }, ['p1']), setGroup({ seats: 5 }))
  await replaceStore()
  expect(await refresh(undefined)).toBe('store')
  const { p1: _, ...rest } = LARGE
  expect(await readProperties()).toEqual({ ...rest, plan: 'pro' })
})

test('a person whose row is lost has no changes of before when it is large again', async () => {
  const { send, metadata, readProperties, restart } = await openBed()
  await send(set('ada', LARGE))
  await send(set('ada', { old: true }))
  const rows = await metadata.selectFrom('person_changes').selectAll().execute()
  await metadata.deleteFrom('persons').execute()
  restart()
  await send(set('ada', LARGE))
  // As salvage leaves them, which copies each table by itself.
  for (const row of rows) await metadata.insertInto('person_changes').values(row).execute()
  await send(set('ada', { plan: 'pro' }))
  expect(await readProperties()).toEqual({ ...LARGE, plan: 'pro' })
})

test('a small change of a large group is written by itself', async () => {
  const { send, metadata, query, restart } = await openBed()
  await send(setGroup(LARGE))
  restart()
  await send(setGroup({ seats: 5, p1: 'new' }))
  await send(setGroup({ seats: 6 }))
  const [group] = await metadata.selectFrom('groups').selectAll().execute()
  expect(JSON.parse(group!.properties)).toEqual(LARGE)
  const [loaded] = await loadGroups(metadata, 1, [{ type: 'company', key: 'acme' }])
  expect(loaded?.properties).toEqual({ ...LARGE, seats: 6, p1: 'new' })
  const [[shown]] = (await query('SELECT properties FROM groups')) as [[string]]
  expect(JSON.parse(shown)).toEqual(loaded?.properties)
  expect(await query("SELECT properties->>'seats', properties->>'p1' FROM groups")).toEqual([['6', 'new']])
})
