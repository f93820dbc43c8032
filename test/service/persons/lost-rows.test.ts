import { expect, test } from 'vitest'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { openPersonsTestBed } from './persons-test-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const identify = (id: string, anonymous: string) => event('$identify', id, { $anon_distinct_id: anonymous })
const set = (id: string, $set: object) => event('$set', id, { $set })

/** Ada with two ids and Bob with one, and a person updater with an empty cache. */
const openBed = async () => {
  const testBed = await openPersonsTestBed()
  const rows = [set('anon', { v: 1, old: 1 }), identify('ada', 'anon'), set('bob', { of: 'bob' })]
  await testBed.index([testBed.createRow(rows)])
  const send = (...events: object[]) => testBed.index([testBed.createRow(events)])
  const losePerson = (distinctId: string) =>
    testBed.metadata.deleteFrom('persons').where('id', '=', derivePersonId(1, distinctId)).execute()
  const loseId = (distinctId: string) =>
    testBed.metadata.deleteFrom('person_distinct_ids').where('distinct_id', '=', distinctId).execute()
  testBed.restart()
  return { ...testBed, send, losePerson, loseId }
}

test('the next event restores a person whose row is lost, with all ids', async () => {
  const testBed = await openBed()
  await testBed.losePerson('anon')
  await testBed.send(set('ada', { v: 2 }))
  expect(await testBed.readMetadataPersons()).toMatchObject([
    { first: 'anon', distinctIds: ['ada', 'anon'], properties: { v: 2 } },
    { first: 'bob' },
  ])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  await testBed.send(set('anon', { w: 3 }))
  expect((await testBed.readMetadataPersons())[0]!.properties).toEqual({ v: 2, w: 3 })
})

test.each(['ada', 'anon'])('a merge of %s includes a person whose row is lost', async (id) => {
  const testBed = await openBed()
  await testBed.losePerson('anon')
  await testBed.send(event('$create_alias', id, { alias: 'bob' }))
  expect(await testBed.readMetadataPersons()).toMatchObject([{ first: 'bob', distinctIds: ['ada', 'anon', 'bob'] }])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
})

test('a person is not overwritten if only the row of the first id is lost', async () => {
  const testBed = await openBed()
  await testBed.loseId('anon')
  await testBed.send(set('anon', { v: 2 }))
  expect(await testBed.readMetadataPersons()).toMatchObject([
    { first: 'anon', distinctIds: ['ada', 'anon'], properties: { v: 2, old: 1 }, isIdentified: true },
    { first: 'bob' },
  ])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
})

test('an id whose row is lost keeps its person after a sign-in', async () => {
  const testBed = await openBed()
  await testBed.loseId('bob')
  await testBed.send(identify('robert', 'bob'))
  expect((await testBed.readMetadataPersons())[1]).toMatchObject({
    first: 'bob',
    distinctIds: ['bob', 'robert'],
    properties: { of: 'bob' },
  })
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
})
