import { expect, test } from 'vitest'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { readPersonProgress } from '../../../src/service/store/metadata/person-progress.ts'
import { openPersonsTestBed } from '../persons/persons-test-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const identify = (id: string, anonymous: string) => event('$identify', id, { $anon_distinct_id: anonymous })
const group = (key: string) => event('$groupidentify', 'x', { $group_type: 'company', $group_key: key })

const GROUPS = 'SELECT count(*), count(DISTINCT group_key) FROM groups'

test('copies all persons and groups into a new store or an older one', async () => {
  const testBed = await openPersonsTestBed()
  const early = ['phone', 'laptop', 'ada', 'bob'].map((id) => event('a', id, { $set: { of: id } }))
  await testBed.index([testBed.createRow([...early, group('acme')])])
  const backup = await testBed.replaceStore()
  await testBed.replaceStore(backup)
  expect(await testBed.refresh(undefined)).toBeNull()

  await testBed.index([testBed.createRow([identify('ada', 'phone'), identify('ada', 'laptop'), group('other')])])
  const newest = await testBed.replaceStore(backup)
  expect(await testBed.query('SELECT count(*) FROM persons')).toEqual([[4]])
  expect(await testBed.refresh(undefined)).toBe('store')
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  expect(await testBed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  expect(await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[5, 3]])
  expect(await testBed.query(GROUPS)).toEqual([[2, 2]])
  expect(await testBed.refresh(undefined)).toBeNull()

  await testBed.replaceStore()
  expect(await testBed.refresh(undefined)).toBe('store')
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  await testBed.replaceStore(newest)
  expect(await testBed.refresh(undefined)).toBeNull()
})

test('does not refresh a store that can catch up from the inbox', async () => {
  const testBed = await openPersonsTestBed()
  await testBed.index([testBed.createRow([event('a', 'phone'), event('a', 'ada')])])
  const backup = await testBed.replaceStore()
  await testBed.replaceStore(backup)
  const deletedRow = testBed.createRow([identify('ada', 'phone'), event('b', 'bob')])
  await testBed.index([deletedRow])
  const waiting = testBed.createRow([event('$set', 'bob', { $set: { plan: 'pro' } }), event('c', 'ada')])
  await testBed.failIndexing([waiting], 'killed')
  expect(await testBed.refresh(waiting.id)).toBeNull()

  await testBed.replaceStore(backup)
  expect(await testBed.refresh(deletedRow.id)).toBeNull()
  expect(await testBed.refresh(waiting.id)).toBe('store')
  await testBed.index([waiting])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  expect(await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[4, 2]])
})

test('copies the persons of a restored metadata backup', async () => {
  const testBed = await openPersonsTestBed()
  const send = (...events: object[]) => testBed.index([testBed.createRow(events)])
  await send(event('$set', 'phone', { $set: { of: 'phone' } }), event('a', 'ada'), group('acme'))
  const restore = await testBed.backUpPersons()
  await send(identify('ada', 'phone'), event('a', 'bob'), group('other'))
  await send(event('a', 'ada', { $set: { lost: 1 } }))
  expect(await testBed.refresh(undefined)).toBeNull()
  await restore()
  // The copy does not depend on the waiting rows.
  const waiting = testBed.createRow([event('$set', 'phone', { $set: { mine: 1 } })])
  expect(await testBed.refresh(waiting.id)).toBe('metadata')
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  expect(await testBed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  expect(await testBed.query(GROUPS)).toEqual([[1, 1]])
  expect(await testBed.refresh(waiting.id)).toBeNull()
  // The next change replaces what was copied.
  expect((await readPersonProgress(testBed.metadata, ONLY_NODE, 1)).revision).toBe(3)

  await testBed.index([waiting])
  expect(await testBed.readStorePersons()).toMatchObject([
    { distinctIds: ['ada'], properties: {} },
    { distinctIds: ['phone'], properties: { of: 'phone', mine: 1 } },
  ])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  // No event is lost. The events of the forgotten merge belong to two persons again, and Bob keeps his own.
  expect(await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[8, 4]])
  expect(await testBed.refresh(undefined)).toBeNull()
})

test('repeats an interrupted refresh', async () => {
  const testBed = await openPersonsTestBed()
  await testBed.index([testBed.createRow([event('a', 'ada')])])
  const restore = await testBed.backUpPersons()
  await testBed.index([testBed.createRow([identify('eve', 'ada'), group('acme')])])
  await restore()
  await expect(testBed.refresh(undefined, 2)).rejects.toThrow('ended')
  expect(await testBed.refresh(undefined)).toBe('metadata')
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
})

test('copies more persons than fit into one chunk', async () => {
  const testBed = await openPersonsTestBed()
  const people = Array.from({ length: 11_000 }, (_, n) => event('a', `person ${n}`, { $set: { n } }))
  const large = Array.from({ length: 24 }, (_, n) => event('a', `large ${n}`, { $set: { text: 'x'.repeat(500_000) } }))
  const groups = Array.from({ length: 5_500 }, (_, n) => group(`group ${n}`))
  await testBed.index([
    testBed.createRow([...people, ...groups]),
    ...large.map((largeEvent) => testBed.createRow([largeEvent])),
  ])
  await testBed.replaceStore()
  expect(await testBed.refresh(undefined)).toBe('store')
  expect(await testBed.query('SELECT count(*), count(DISTINCT id) FROM persons')).toEqual([[11_024, 11_024]])
  expect(await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM person_distinct_ids')).toEqual([
    [11_024, 11_024],
  ])
  expect(await testBed.query(GROUPS)).toEqual([[5_500, 5_500]])
}, 60_000)
