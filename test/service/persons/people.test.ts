import { expect, test } from 'vitest'
import { openPersonsTestBed } from './persons-test-bed.ts'

const event = (event: string, distinct_id: string, properties: object = {}) => ({ event, distinct_id, properties })
const anonymous = (distinct_id: string) => event('$pageview', distinct_id, { $process_person_profile: false })
const identify = (id: string, anonymous: string, more: object = {}) =>
  event('$identify', id, { $anon_distinct_id: anonymous, ...more })
const alias = (id: string, main: string) => event('$create_alias', id, { alias: main })

const PEOPLE = 'SELECT count(DISTINCT person_id) FROM events'

test('a merged person counts once, also in events before the merge', async () => {
  const testBed = await openPersonsTestBed()
  const send = (...events: object[]) => testBed.index([testBed.createRow(events)])
  await send(event('a', 'phone'), event('a', 'laptop'), event('a', 'tablet'), event('a', 'bob'))
  expect(await testBed.query(PEOPLE)).toEqual([[4]])
  await send(identify('ada', 'phone'))
  await send(identify('ada', 'laptop'))
  expect(await testBed.query(PEOPLE)).toEqual([[3]])
  await send(alias('tablet', 'ada'))
  expect(await testBed.query(PEOPLE)).toEqual([[2]])
  expect(await testBed.query('SELECT count(*) FROM events GROUP BY person_id ORDER BY 1')).toEqual([[1], [6]])
  expect(await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM person_distinct_ids')).toEqual([[5, 2]])
  expect(await testBed.query('SELECT count(*) FROM persons')).toEqual([[2]])
  // Later events of devices that were merged before.
  await send(event('a', 'phone'), anonymous('laptop'))
  expect(await testBed.query(PEOPLE)).toEqual([[2]])
  expect(await testBed.query('SELECT count(*) FROM events e JOIN persons p ON p.id = e.person_id')).toEqual([[9]])
})

test('events without a profile create no person, but belong to one created later', async () => {
  const testBed = await openPersonsTestBed()
  await testBed.index([testBed.createRow([anonymous('visitor'), anonymous('visitor'), anonymous('other')])])
  expect(await testBed.readMetadataPersons()).toEqual([])
  expect(await testBed.query(PEOPLE)).toEqual([[2]])
  await testBed.index([testBed.createRow([identify('ada', 'visitor', { $set: { plan: 'pro' } })])])
  expect(await testBed.query(PEOPLE)).toEqual([[2]])
  expect(
    await testBed.query(`SELECT event.event, person.properties->>'plan' FROM events AS event
      JOIN persons AS person ON person.id = event.person_id ORDER BY 1`),
  ).toEqual([
    ['$identify', 'pro'],
    ['$pageview', 'pro'],
    ['$pageview', 'pro'],
  ])
  await testBed.index([testBed.createRow([event('$set', 'other', { $set: { plan: 'free' } })])])
  expect(
    await testBed.query(
      "SELECT count(*) FROM events e JOIN persons p ON p.id = e.person_id AND (p.properties->>'plan') = 'free'",
    ),
  ).toEqual([[2]])
  // Person properties of an anonymous event are ignored, even if its person exists.
  await testBed.index([testBed.createRow([event('a', 'ada', { $set: { plan: 'x' }, $process_person_profile: false })])])
  expect((await testBed.readStorePersons()).map(({ properties }) => properties)).toEqual([
    { plan: 'pro' },
    { plan: 'free' },
  ])
})

test('ids merged twice, in both directions or with themselves stay one person', async () => {
  const testBed = await openPersonsTestBed()
  const rows = [
    [event('a', 'x', { $set: { of: 'x' } }), event('a', 'y', { $set: { of: 'y' } })],
    [alias('x', 'y'), alias('x', 'y'), alias('y', 'x'), identify('y', 'x'), identify('x', 'x'), alias('y', 'y')],
    [alias('y', 'x'), identify('x', 'y')],
  ].map((events) => testBed.createRow(events))
  // Over several requests of one commit, including a replay.
  await testBed.failIndexing(rows.slice(0, 2), 'killed')
  await testBed.index(rows)
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
  expect(await testBed.readStorePersons()).toMatchObject([
    { first: 'y', distinctIds: ['x', 'y'], properties: { of: 'y' } },
  ])
  expect(await testBed.query(PEOPLE)).toEqual([[1]])
})

test.each(['killed', 'disk full'] as const)('a merge is applied once if its row is replayed (%s)', async (reason) => {
  const testBed = await openPersonsTestBed()
  const row = testBed.createRow([
    event('$set', 'ada', { $set: { plan: 'pro' } }),
    event('$set', 'anon', { $set: { plan: 'free' } }),
    identify('ada', 'anon'),
  ])
  await testBed.failIndexing([row], reason)
  await testBed.index([row])
  expect(await testBed.readMetadataPersons()).toMatchObject([
    { distinctIds: ['ada', 'anon'], properties: { plan: 'pro' } },
  ])
  expect(await testBed.readStorePersons()).toEqual(await testBed.readMetadataPersons())
})

test('a merge in one project does not affect the same ids in another', async () => {
  const testBed = await openPersonsTestBed()
  for (const project of [1, 2])
    await testBed.index([testBed.createRow([event('a', 'anon', { $set: { project } }), event('a', 'ada')], project)])
  await testBed.index([testBed.createRow([identify('ada', 'anon')], 2)])
  expect((await testBed.readStorePersons('', 1)).map(({ first, properties }) => [first, properties])).toEqual([
    ['ada', {}],
    ['anon', { project: 1 }],
  ])
  expect((await testBed.readStorePersons('', 2)).map(({ first, properties }) => [first, properties])).toEqual([
    ['ada', { project: 2 }],
  ])
  expect([await testBed.query(PEOPLE, 1), await testBed.query(PEOPLE, 2)]).toEqual([[[2]], [[1]]])
})

test('the next request finds a merged person by each of its ids', async () => {
  const testBed = await openPersonsTestBed()
  const send = (...events: object[]) => testBed.index([testBed.createRow(events)])
  await send(event('a', 'anon', { $set_once: { first: 1 }, $set: { plan: 'free' } }), event('a', 'ada'))
  await send(identify('ada', 'anon'))
  await send(event('a', 'anon', { $set: { plan: 'pro' }, $set_once: { first: 2 } }))
  await send(event('a', 'ada', { $unset: ['none'], $set: { last: 1 } }))
  expect(await testBed.readStorePersons()).toMatchObject([
    { distinctIds: ['ada', 'anon'], properties: { first: 1, plan: 'pro', last: 1 }, isIdentified: true },
  ])
})

test('distinguishes similar ids, and ids of 400 characters', async () => {
  const testBed = await openPersonsTestBed()
  const long = 'x'.repeat(399)
  const ids = ['ada', 'Ada', 'ada ', ' ada', '\u00e9', 'e\u0301', "a'--", 'a\tb', `${long}1`, `${long}2`]
  await testBed.index([testBed.createRow(ids.map((id) => event('a', id, { $set: { id } })))])
  await testBed.index([testBed.createRow([identify('known', `${long}1`)])])
  const persons = await testBed.readStorePersons()
  expect(persons).toEqual(await testBed.readMetadataPersons())
  expect(persons.length).toBe(ids.length)
  expect(persons.find(({ first }) => first === `${long}1`)?.distinctIds).toEqual(['known', `${long}1`])
  expect(await testBed.query(PEOPLE)).toEqual([[ids.length]])
})

test('keeps unusual properties: __proto__, nested, null, lone surrogates, NUL', async () => {
  const testBed = await openPersonsTestBed()
  const set = JSON.parse(
    '{"__proto__": {"__proto__": 1}, "nothing": null, "deep": [{"a": [null, {"b": 1e300}]}], ' +
      '"nul": "a\\u0000b", "k\\u0000": 1, "": 2, "a.b[0]": 3}',
  )
  const events = [
    event('$set', 'ada', { $set: set, $browser: 'a\u0000b' }),
    event('a', 'ada', { $set: { half: '\ud800' } }),
  ]
  await testBed.index(events.map((sent) => testBed.createRow([sent])))
  expect(testBed.warnings).toEqual([])
  const [[properties]] = (await testBed.query('SELECT properties::VARCHAR FROM persons')) as [[string]]
  expect(JSON.parse(properties)).toEqual({ ...set, half: '\uFFFD' })
  expect(Object.keys(JSON.parse(properties))[0]).toBe('__proto__')
  await testBed.index([testBed.createRow([event('$set', 'ada', { $unset: ['__proto__', 'deep', 'none'] })])])
  expect(await testBed.query('SELECT json_keys(properties) FROM persons')).toEqual([
    [['nothing', 'nul', 'k\u0000', '', 'a.b[0]', 'half']],
  ])
})

test.each(['$groupidentify', '$group_identify'])('%s creates and updates a group, but no person', async (name) => {
  const testBed = await openPersonsTestBed()
  const group = (key: unknown, set: unknown, timestamp: string, type = 'company') => ({
    ...event(name, '$company_acme', { $group_type: type, $group_key: key, $group_set: set }),
    timestamp,
  })
  const at = (day: number) => `2026-05-0${day}T00:00:00Z`
  await testBed.index([
    testBed.createRow([group('acme', { seats: 6, at: at(2) }, at(2)), group('acme', { seats: 5, plan: 'pro' }, at(1))]),
  ])
  await testBed.index([
    testBed.createRow([group('acme', { plan: null, deep: { a: [1] } }, at(3)), group(7, {}, at(3), 'team')]),
  ])
  expect(
    await testBed.query('SELECT group_type, group_key, properties::VARCHAR, created_at FROM groups ORDER BY 1'),
  ).toEqual([
    [
      'company',
      'acme',
      JSON.stringify({ seats: 6, plan: null, at: at(2), deep: { a: [1] } }),
      '2026-05-01T00:00:00.000Z',
    ],
    ['team', '7', '{}', '2026-05-03T00:00:00.000Z'],
  ])
  expect(await testBed.readStorePersons()).toEqual([])
})

test('finds a group whose name is not valid Unicode', async () => {
  const testBed = await openPersonsTestBed()
  const group = (set: object) =>
    event('$groupidentify', 'x', { $group_type: 'comp\u0000any', $group_key: 'acme\ud800', $group_set: set })
  await testBed.index([testBed.createRow([group({ seats: 5 })])])
  await testBed.index([testBed.createRow([group({ plan: 'pro' })])])
  expect(await testBed.query('SELECT group_type, group_key, properties::VARCHAR FROM groups')).toEqual([
    ['company', 'acme\uFFFD', '{"seats":5,"plan":"pro"}'],
  ])
})

test.each(['killed', 'disk full'] as const)('queries see a group whose row is replayed (%s)', async (reason) => {
  const testBed = await openPersonsTestBed()
  const group = { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } }
  const row = testBed.createRow([event('$groupidentify', 'x', group)])
  await testBed.failIndexing([row], reason)
  await testBed.index([row])
  expect(await testBed.query('SELECT group_key, properties::VARCHAR FROM groups')).toEqual([['acme', '{"seats":5}']])
})

test('createdAt is the time of the earliest event of a batch', async () => {
  const testBed = await openPersonsTestBed()
  const at = (day: number) => ({ ...event('a', 'ada'), timestamp: `2026-05-0${day}T00:00:00Z` })
  await testBed.index([testBed.createRow([at(3)]), testBed.createRow([at(2)]), testBed.createRow([at(4)])])
  expect((await testBed.readMetadataPersons())[0]!.createdAt).toBe(Date.UTC(2026, 4, 2))
})
