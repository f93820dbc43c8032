import { expect, test } from 'vitest'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'

/** Properties with a special meaning. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

const personsOf = (distinctId: string) =>
  service.queryStored(
    `select p.properties from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${distinctId}'`,
  )

// API: | $process_person_profile | boolean; false makes the event anonymous. By default events sent through the API are
// identified events. |
test('creates a person unless $process_person_profile is false', async () => {
  const event = (distinct_id: string, properties: object) =>
    service.capture({ event: 'seen', distinct_id, properties: { $set: { a: 1 }, ...properties } })
  await event('by default', {})
  await event('true', { $process_person_profile: true })
  await event('false', { $process_person_profile: false })
  expect(await personsOf('by default')).toHaveLength(1)
  expect(await personsOf('true')).toHaveLength(1)
  expect(await personsOf('false')).toEqual([])
  // An anonymous event still has a person id, and a profile can be created later.
  const personCountQuery = "select count(distinct person_id), count(*) from events where distinct_id = 'false'"
  expect(await service.queryStored(personCountQuery)).toEqual([[1, 1]])
  await service.capture({ event: '$identify', distinct_id: 'false', properties: { $set: { b: 2 } } })
  expect(await service.queryStored(personCountQuery)).toEqual([[1, 2]])
  const [row] = await personsOf('false')
  expect(parseJsonColumn(row![0])).toMatchObject({ b: 2 })
  expect(parseJsonColumn(row![0])).not.toHaveProperty('a')
})

// API: | $groups | object: group type name to group key; associates the event with a group. It does not create a group (use
// $groupidentify). |
test('stores $groups with the event without creating the groups', async () => {
  const properties = { $groups: { company: 'acme', team: 'red' } }
  await service.capture({ event: 'grouped', distinct_id: 'u', properties })
  await service.capture({ event: 'grouped', distinct_id: 'u', properties: { $groups: { company: 'other' } } })
  const countQuery = `select count(*) from events where json_extract_string(properties, '$."$groups".company') = 'acme'`
  expect(await service.queryStored(countQuery)).toEqual([[1]])
  expect(await service.queryStored('select * from groups')).toEqual([])
})

// API: | $feature/<flag_key> | string, the variant key; attributes the flag value to the event so that it can be used to break
// down or filter events. … |
test('counts events by the variant in $feature/<flag key>', async () => {
  for (const variant of ['red', 'green', 'red'])
    await service.capture({ event: 'bought', distinct_id: 'u', properties: { '$feature/button.colour': variant } })
  const breakdown = `select json_extract_string(properties, '$."$feature/button.colour"') as variant, count(*)
    from events where event = 'bought' group by 1 order by 1`
  expect(await service.queryStored(breakdown)).toEqual([
    ['green', 1],
    ['red', 2],
  ])
})
