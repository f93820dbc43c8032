import { expect, test } from 'vitest'
import { openPersonsBed } from '../../persons/persons-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })

test('keeps the row, and the persons that an earlier attempt merged', async () => {
  const bed = await openPersonsBed()
  await bed.index([bed.rowOf([event('a', 'phone'), event('b', 'ada', { $set: { plan: 'pro' } })])])
  const poisonRow = bed.rowOf([event('$identify', 'ada', { $anon_distinct_id: 'phone' }), event('c', 'bob')])
  const next = bed.rowOf([event('$set', 'bob', { $set: { plan: 'free' } })])
  await bed.failIndexing([poisonRow, next], 'killed')
  const { inboxRow, reason, body } = await bed.quarantine(poisonRow)
  expect([inboxRow, reason, body]).toEqual([poisonRow.id, 'poison', poisonRow.body])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[2, 1]])
  await bed.index([poisonRow, next])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  expect(await bed.query('SELECT event FROM events ORDER BY 1')).toEqual([['$set'], ['a'], ['b']])
})

test('copies no persons if no earlier attempt changed them', async () => {
  const bed = await openPersonsBed()
  await bed.index([bed.rowOf([event('a', 'ada', { $set: { plan: 'pro' } })])])
  await bed.quarantine(bed.rowOf([event('b', 'bob')]))
  await bed.index([bed.rowOf([event('c', 'ada')])])
  expect(await bed.query('SELECT event FROM events ORDER BY 1')).toEqual([['a'], ['c']])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
})
