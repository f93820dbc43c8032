import { expect, test } from 'vitest'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { openPersonsBed } from './persons-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const identify = (id: string, anonymous: string) => event('$identify', id, { $anon_distinct_id: anonymous })
const set = (id: string, $set: object) => event('$set', id, { $set })

/** Ada with two ids and Bob with one, and a person updater with an empty cache. */
const openBed = async () => {
  const bed = await openPersonsBed()
  const rows = [set('anon', { v: 1, old: 1 }), identify('ada', 'anon'), set('bob', { of: 'bob' })]
  await bed.index([bed.rowOf(rows)])
  const send = (...events: object[]) => bed.index([bed.rowOf(events)])
  const losePerson = (distinctId: string) =>
    bed.metadata.deleteFrom('persons').where('id', '=', derivePersonId(1, distinctId)).execute()
  const loseId = (distinctId: string) =>
    bed.metadata.deleteFrom('person_distinct_ids').where('distinct_id', '=', distinctId).execute()
  bed.restart()
  return { ...bed, send, losePerson, loseId }
}

test('the next event restores a person whose row is lost, with all ids', async () => {
  const bed = await openBed()
  await bed.losePerson('anon')
  await bed.send(set('ada', { v: 2 }))
  expect(await bed.inMetadata()).toMatchObject([
    { first: 'anon', distinctIds: ['ada', 'anon'], properties: { v: 2 } },
    { first: 'bob' },
  ])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
  await bed.send(set('anon', { w: 3 }))
  expect((await bed.inMetadata())[0]!.properties).toEqual({ v: 2, w: 3 })
})

test.each(['ada', 'anon'])('a merge of %s includes a person whose row is lost', async (id) => {
  const bed = await openBed()
  await bed.losePerson('anon')
  await bed.send(event('$create_alias', id, { alias: 'bob' }))
  expect(await bed.inMetadata()).toMatchObject([{ first: 'bob', distinctIds: ['ada', 'anon', 'bob'] }])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
})

test('a person is not overwritten if only the row of the first id is lost', async () => {
  const bed = await openBed()
  await bed.loseId('anon')
  await bed.send(set('anon', { v: 2 }))
  expect(await bed.inMetadata()).toMatchObject([
    { first: 'anon', distinctIds: ['ada', 'anon'], properties: { v: 2, old: 1 }, isIdentified: true },
    { first: 'bob' },
  ])
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
})

test('an id whose row is lost keeps its person after a sign-in', async () => {
  const bed = await openBed()
  await bed.loseId('bob')
  await bed.send(identify('robert', 'bob'))
  expect((await bed.inMetadata())[1]).toMatchObject({
    first: 'bob',
    distinctIds: ['bob', 'robert'],
    properties: { of: 'bob' },
  })
  expect(await bed.inStore()).toEqual(await bed.inMetadata())
})
