import { expect, test } from 'vitest'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'

/** Events with a special meaning. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

const propertiesOf = async (event: string, distinctId: string) => {
  const rows = await service.queryStored(
    `select properties from events where event = '${event}' and distinct_id = '${distinctId}'`,
  )
  expect(rows).toHaveLength(1)
  return parseJsonColumn(rows[0]![0])
}

const personOf = async (distinctId: string) => {
  const [row] = await service.queryStored(
    `select p.id, p.properties, p.is_identified from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${distinctId}'`,
  )
  return row === undefined ? undefined : { id: row[0], properties: parseJsonColumn(row[1]), isIdentified: row[2] }
}

const groupOf = async (type: string, key: string) => {
  const rows = await service.queryStored(
    `select properties from groups where group_type = '${type}' and group_key = '${key}'`,
  )
  return rows.map(([properties]) => parseJsonColumn(properties))
}

// API: | $pageview | page view | $current_url (string) |
test('stores $pageview with its URL, which is also a column', async () => {
  await service.capture({
    event: '$pageview',
    distinct_id: 'pv',
    properties: { $current_url: 'https://shop.example/a?b=c' },
  })
  expect(await propertiesOf('$pageview', 'pv')).toMatchObject({ $current_url: 'https://shop.example/a?b=c' })
  const query = `select count(*) from events where "$current_url" = 'https://shop.example/a?b=c'`
  expect(await service.queryStored(query)).toEqual([[1]])
})

// API: | $screen | screen view in a mobile app | $screen_name (string) |
test('stores $screen with its screen name', async () => {
  await service.capture({ event: '$screen', distinct_id: 'sc', properties: { $screen_name: 'Cart' } })
  expect(await propertiesOf('$screen', 'sc')).toMatchObject({ $screen_name: 'Cart' })
})

// API: | $identify | updates person properties | $set (object) |
test('updates person properties by $identify', async () => {
  await service.capture({ event: '$identify', distinct_id: 'id', properties: { $set: { plan: 'free', seats: 1 } } })
  await service.capture({ event: '$identify', distinct_id: 'id', properties: { $set: { plan: 'pro' } } })
  expect(await personOf('id')).toMatchObject({ properties: { plan: 'pro', seats: 1 }, isIdentified: true })
})

// API: | $create_alias | … the event distinct_id is the id that is merged; properties.alias is the id that becomes the main
// distinct_id |
test('merges the person of the distinct id into the person of the alias', async () => {
  await service.capture({ event: 'before', distinct_id: 'merged', properties: { $set: { name: 'old', only: 'here' } } })
  await service.capture({ event: 'before', distinct_id: 'main', properties: { $set: { name: 'main' } } })
  const main = (await personOf('main'))!.id
  expect((await personOf('merged'))!.id).not.toBe(main)
  await service.capture({ event: '$create_alias', distinct_id: 'merged', properties: { alias: 'main' } })
  expect(await personOf('merged')).toEqual({
    id: main,
    properties: expect.objectContaining({ name: 'main', only: 'here' }),
    isIdentified: true,
  })
  const personCountQuery = "select count(distinct person_id) from events where distinct_id in ('merged', 'main')"
  expect(await service.queryStored(personCountQuery)).toEqual([[1]])
})

// API: | $groupidentify | creates a group or updates its information | $group_type (string), $group_key (string), $group_set
// (object of group properties; may include a date-time value) |
test('creates and updates a group by $groupidentify', async () => {
  const setGroup = (properties: object) =>
    service.capture({
      event: '$groupidentify',
      distinct_id: 'g',
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: properties },
    })
  await setGroup({ name: 'Acme', since: '2019-05-01T10:00:00Z' })
  await setGroup({ seats: 5, name: 'Acme Ltd' })
  expect(await groupOf('company', 'acme')).toEqual([{ name: 'Acme Ltd', since: '2019-05-01T10:00:00Z', seats: 5 }])
})

// API: "The migration guidance names the group event `$group_identify`. The capture guidance names it `$groupidentify`."
test('accepts both spellings, $groupidentify and $group_identify', async () => {
  const group = (event: string, key: string) => ({
    event,
    timestamp: '2024-01-01T00:00:00Z',
    properties: { distinct_id: 'g2', $group_type: 'company', $group_key: key, $group_set: { by: event } },
  })
  await service.batch([group('$groupidentify', 'k1'), group('$group_identify', 'k2')])
  await service.batch([group('$groupidentify', 'k3'), group('$group_identify', 'k4')], { historical_migration: true })
  for (const [key, by] of [
    ['k1', '$groupidentify'],
    ['k2', '$group_identify'],
    ['k3', '$groupidentify'],
    ['k4', '$group_identify'],
  ]) {
    expect(await groupOf('company', key!)).toEqual([{ by }])
  }
})

// API: | survey sent, survey shown, survey dismissed | survey events | $survey_id (required); $survey_response (used on survey
// sent) |
test.each([
  ['survey sent', { $survey_response: 'great' }],
  ['survey shown', {}],
  ['survey dismissed', {}],
])('stores "%s" with its survey properties', async (event, properties) => {
  await service.capture({ event, distinct_id: 'sv', properties: { $survey_id: 's-1', ...properties } })
  expect(await propertiesOf(event, 'sv')).toMatchObject({ $survey_id: 's-1', ...properties })
})

// The document requires these properties of senders but defines no error without them, and a rejected event would be lost.
test.each([
  ['survey sent', { $survey_response: 'great' }],
  ['$create_alias', {}],
  ['$groupidentify', { $group_key: 'acme' }],
])('stores %s without its required properties, with no other effect', async (event, properties) => {
  expect((await service.capture({ event, distinct_id: 'lacks', properties })).status).toBe(200)
  expect(await propertiesOf(event, 'lacks')).toMatchObject(properties)
  expect(await personOf('lacks')).toMatchObject({ properties: {}, isIdentified: false })
})

// API: | $feature_flag_called | records a flag check | $feature_flag (flag key), $feature_flag_response (variant name the user
// has) |
test('stores $feature_flag_called with the key and value of the flag', async () => {
  const properties = { $feature_flag: 'colour', $feature_flag_response: 'red' }
  await service.capture({ event: '$feature_flag_called', distinct_id: 'fl', properties })
  expect(await propertiesOf('$feature_flag_called', 'fl')).toMatchObject(properties)
})

// API: "Custom events may use any name."
test('stores custom events with any name', async () => {
  const names = [
    '$',
    '$unknown',
    'a b',
    "o'clock",
    '数え',
    '🎉',
    '{"a":1}',
    'x'.repeat(200),
    'constructor',
    '__proto__',
  ]
  for (const event of names) expect((await service.capture({ event, distinct_id: 'custom' })).status).toBe(200)
  const rows = await service.queryStored("select event from events where distinct_id = 'custom'")
  expect(rows).toHaveLength(names.length)
  expect(new Set(rows.flat())).toEqual(new Set(names))
})
