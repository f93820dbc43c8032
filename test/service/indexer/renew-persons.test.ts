import { expect, test } from 'vitest'
import { openPersonsBed } from '../persons/persons-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const identify = (id: string, anonymous: string) => event('$identify', id, { $anon_distinct_id: anonymous })
const group = (key: string) => event('$groupidentify', 'x', { $group_type: 'company', $group_key: key })

const GROUPS = 'SELECT count(*), count(DISTINCT group_key) FROM groups'

test('a store whose file was moved away, or replaced by a backup, knows all persons and groups again', async () => {
  const bed = await openPersonsBed()
  const early = ['phone', 'laptop', 'ada', 'bob'].map((id) => event('a', id, { $set: { of: id } }))
  await bed.index([bed.rowOf([...early, group('acme')])])
  const backup = await bed.replaceStore()
  await bed.replaceStore(backup)
  expect(await bed.renew(undefined)).toBeNull()

  await bed.index([bed.rowOf([identify('ada', 'phone'), identify('ada', 'laptop'), group('other')])])
  const newest = await bed.replaceStore(backup)
  expect(await bed.query('SELECT count(*) FROM persons')).toEqual([[4]])
  expect(await bed.renew(undefined)).toBe('store')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[5, 3]])
  expect(await bed.query(GROUPS)).toEqual([[2, 2]])
  expect(await bed.renew(undefined)).toBeNull()

  await bed.replaceStore()
  expect(await bed.renew(undefined)).toBe('store')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  await bed.replaceStore(newest)
  expect(await bed.renew(undefined)).toBeNull()
})

test('leaves a store alone that the rows in the inbox bring up to date, and those that wait are stored after a renewal', async () => {
  const bed = await openPersonsBed()
  await bed.index([bed.rowOf([event('a', 'phone'), event('a', 'ada')])])
  const backup = await bed.replaceStore()
  await bed.replaceStore(backup)
  const gone = bed.rowOf([identify('ada', 'phone'), event('b', 'bob')])
  await bed.index([gone])
  const waiting = bed.rowOf([event('$set', 'bob', { $set: { plan: 'pro' } }), event('c', 'ada')])
  await bed.failIndexing([waiting], 'killed')
  expect(await bed.renew(waiting.id)).toBeNull()

  await bed.replaceStore(backup)
  expect(await bed.renew(gone.id)).toBeNull()
  expect(await bed.renew(waiting.id)).toBe('store')
  await bed.index([waiting])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[4, 2]])
})

test('metadata of which a backup was put back says who is who in the store too, and later events go on from there', async () => {
  const bed = await openPersonsBed()
  const send = (...events: object[]) => bed.index([bed.rowOf(events)])
  await send(event('$set', 'phone', { $set: { of: 'phone' } }), event('a', 'ada'), group('acme'))
  const putBack = await bed.backUpPersons()
  await send(identify('ada', 'phone'), event('a', 'bob'), group('other'))
  await send(event('a', 'ada', { $set: { lost: 1 } }))
  expect(await bed.renew(undefined)).toBeNull()
  await putBack()
  // Whatever rows wait.
  const waiting = bed.rowOf([event('$set', 'phone', { $set: { mine: 1 } })])
  expect(await bed.renew(waiting.id)).toBe('metadata')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  expect(await bed.query(GROUPS)).toEqual([[1, 1]])
  expect(await bed.renew(waiting.id)).toBeNull()

  await bed.index([waiting])
  expect(await bed.inStore()).toMatchObject([
    { distinctIds: ['ada'], properties: {} },
    { distinctIds: ['phone'], properties: { of: 'phone', mine: 1 } },
  ])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  // No event is lost, and those of the merge that is forgotten are two people's again, and Bob's.
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[8, 4]])
  expect(await bed.renew(undefined)).toBeNull()
})

test('a renewal that was ended inside begins anew', async () => {
  const bed = await openPersonsBed()
  await bed.index([bed.rowOf([event('a', 'ada')])])
  const putBack = await bed.backUpPersons()
  await bed.index([bed.rowOf([identify('eve', 'ada'), group('acme')])])
  await putBack()
  await expect(bed.renew(undefined, 2)).rejects.toThrow('ended')
  expect(await bed.renew(undefined)).toBe('metadata')
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
})

test('renews more persons than fit into one part', async () => {
  const bed = await openPersonsBed()
  const people = Array.from({ length: 11_000 }, (_, n) => event('a', `person ${n}`, { $set: { n } }))
  const large = Array.from({ length: 12 }, (_, n) =>
    event('a', `large ${n}`, { $set: { text: 'x'.repeat(1_000_000) } }),
  )
  const groups = Array.from({ length: 5_500 }, (_, n) => group(`group ${n}`))
  await bed.index([bed.rowOf([...people, ...groups]), ...large.map((one) => bed.rowOf([one]))])
  await bed.replaceStore()
  expect(await bed.renew(undefined)).toBe('store')
  expect(await bed.query('SELECT count(*), count(DISTINCT id) FROM persons')).toEqual([[11_012, 11_012]])
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM person_distinct_ids')).toEqual([
    [11_012, 11_012],
  ])
  expect(await bed.query(GROUPS)).toEqual([[5_500, 5_500]])
}, 60_000)
