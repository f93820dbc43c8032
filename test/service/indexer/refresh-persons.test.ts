import { expect, test } from 'vitest'
import { openPersonsBed } from '../persons/persons-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const identify = (id: string, anonymous: string) => event('$identify', id, { $anon_distinct_id: anonymous })
const group = (key: string) => event('$groupidentify', 'x', { $group_type: 'company', $group_key: key })

const GROUPS = 'SELECT count(*), count(DISTINCT group_key) FROM groups'

test('copies all persons and groups into a new store or an older one', async () => {
  const bed = await openPersonsBed()
  const early = ['phone', 'laptop', 'ada', 'bob'].map((id) => event('a', id, { $set: { of: id } }))
  await bed.index([bed.rowOf([...early, group('acme')])])
  const backup = await bed.replaceStore()
  await bed.replaceStore(backup)
  expect(await bed.refresh(undefined)).toBeNull()

  await bed.index([bed.rowOf([identify('ada', 'phone'), identify('ada', 'laptop'), group('other')])])
  const newest = await bed.replaceStore(backup)
  expect(await bed.query('SELECT count(*) FROM persons')).toEqual([[4]])
  expect(await bed.refresh(undefined)).toBe('store')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[5, 3]])
  expect(await bed.query(GROUPS)).toEqual([[2, 2]])
  expect(await bed.refresh(undefined)).toBeNull()

  await bed.replaceStore()
  expect(await bed.refresh(undefined)).toBe('store')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  await bed.replaceStore(newest)
  expect(await bed.refresh(undefined)).toBeNull()
})

test('does not refresh a store that can catch up from the inbox', async () => {
  const bed = await openPersonsBed()
  await bed.index([bed.rowOf([event('a', 'phone'), event('a', 'ada')])])
  const backup = await bed.replaceStore()
  await bed.replaceStore(backup)
  const deletedRow = bed.rowOf([identify('ada', 'phone'), event('b', 'bob')])
  await bed.index([deletedRow])
  const waiting = bed.rowOf([event('$set', 'bob', { $set: { plan: 'pro' } }), event('c', 'ada')])
  await bed.failIndexing([waiting], 'killed')
  expect(await bed.refresh(waiting.id)).toBeNull()

  await bed.replaceStore(backup)
  expect(await bed.refresh(deletedRow.id)).toBeNull()
  expect(await bed.refresh(waiting.id)).toBe('store')
  await bed.index([waiting])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[4, 2]])
})

test('copies the persons of a restored metadata backup', async () => {
  const bed = await openPersonsBed()
  const send = (...events: object[]) => bed.index([bed.rowOf(events)])
  await send(event('$set', 'phone', { $set: { of: 'phone' } }), event('a', 'ada'), group('acme'))
  const restore = await bed.backUpPersons()
  await send(identify('ada', 'phone'), event('a', 'bob'), group('other'))
  await send(event('a', 'ada', { $set: { lost: 1 } }))
  expect(await bed.refresh(undefined)).toBeNull()
  await restore()
  // The copy does not depend on the waiting rows.
  const waiting = bed.rowOf([event('$set', 'phone', { $set: { mine: 1 } })])
  expect(await bed.refresh(waiting.id)).toBe('metadata')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  expect(await bed.query(GROUPS)).toEqual([[1, 1]])
  expect(await bed.refresh(waiting.id)).toBeNull()

  await bed.index([waiting])
  expect(await bed.inStore()).toMatchObject([
    { distinctIds: ['ada'], properties: {} },
    { distinctIds: ['phone'], properties: { of: 'phone', mine: 1 } },
  ])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  // No event is lost. The events of the forgotten merge belong to two persons again, and Bob keeps his own.
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[8, 4]])
  expect(await bed.refresh(undefined)).toBeNull()
})

test('repeats an interrupted refresh', async () => {
  const bed = await openPersonsBed()
  await bed.index([bed.rowOf([event('a', 'ada')])])
  const restore = await bed.backUpPersons()
  await bed.index([bed.rowOf([identify('eve', 'ada'), group('acme')])])
  await restore()
  await expect(bed.refresh(undefined, 2)).rejects.toThrow('ended')
  expect(await bed.refresh(undefined)).toBe('metadata')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
})

test('copies more persons than fit into one chunk', async () => {
  const bed = await openPersonsBed()
  const people = Array.from({ length: 11_000 }, (_, n) => event('a', `person ${n}`, { $set: { n } }))
  const large = Array.from({ length: 12 }, (_, n) =>
    event('a', `large ${n}`, { $set: { text: 'x'.repeat(1_000_000) } }),
  )
  const groups = Array.from({ length: 5_500 }, (_, n) => group(`group ${n}`))
  await bed.index([bed.rowOf([...people, ...groups]), ...large.map((largeEvent) => bed.rowOf([largeEvent]))])
  await bed.replaceStore()
  expect(await bed.refresh(undefined)).toBe('store')
  expect(await bed.query('SELECT count(*), count(DISTINCT id) FROM persons')).toEqual([[11_012, 11_012]])
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM person_distinct_ids')).toEqual([
    [11_012, 11_012],
  ])
  expect(await bed.query(GROUPS)).toEqual([[5_500, 5_500]])
}, 60_000)
