import { expect, test } from 'vitest'
import { openPersonsTestBed } from '../../persons/persons-test-bed.ts'

const createEvent = (event: string, distinct_id: string, properties: object = {}) => ({
  event,
  distinct_id,
  properties,
})

test('keeps the row for the operator, and keeps the merge of an earlier attempt', async () => {
  const testBed = await openPersonsTestBed()
  await testBed.index([
    testBed.createRow([createEvent('a', 'phone'), createEvent('b', 'ada', { $set: { plan: 'pro' } })]),
  ])
  const poisonRow = testBed.createRow([
    createEvent('$identify', 'ada', { $anon_distinct_id: 'phone' }),
    createEvent('c', 'bob'),
  ])
  const nextRow = testBed.createRow([createEvent('$set', 'bob', { $set: { plan: 'free' } })])
  await testBed.failIndexing([poisonRow, nextRow], 'killed')
  const { inboxRow, reason, body } = await testBed.quarantine(poisonRow)
  expect([inboxRow, reason, body]).toEqual([poisonRow.id, 'poison', poisonRow.body])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  expect(await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[2, 1]])
  await testBed.index([poisonRow, nextRow])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  expect(await testBed.query('SELECT event FROM events ORDER BY 1')).toEqual([['$set'], ['a'], ['b']])
})

test('continues with the next row when no earlier attempt changed persons', async () => {
  const testBed = await openPersonsTestBed()
  await testBed.index([testBed.createRow([createEvent('a', 'ada', { $set: { plan: 'pro' } })])])
  await testBed.quarantine(testBed.createRow([createEvent('b', 'bob')]))
  await testBed.index([testBed.createRow([createEvent('c', 'ada')])])
  expect(await testBed.query('SELECT event FROM events ORDER BY 1')).toEqual([['a'], ['c']])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
})
