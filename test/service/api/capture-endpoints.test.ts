import { expect, test } from 'vitest'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'

/** The endpoints that accept events. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

// API: | POST | {ingest_url}/i/v0/e/ | one Capture event | 200 |
test('accepts one event at /i/v0/e/ with 200', async () => {
  expect(await service.capture({ event: 'one', distinct_id: 'u' })).toMatchObject({ status: 200, body: { status: 1 } })
  expect(await service.queryStored("select distinct_id from events where event = 'one'")).toEqual([['u']])
})

// API: | POST | {ingest_url}/batch/ | Batch request | 200 |
test('accepts a batch of events at /batch/ with 200', async () => {
  const batch = [1, 2, 3].map((n) => ({ event: 'many', properties: { distinct_id: `u${n}` } }))
  expect(await service.batch(batch)).toMatchObject({ status: 200, body: { status: 1 } })
  const rows = await service.queryStored("select distinct_id from events where event = 'many' order by 1")
  expect(rows).toEqual([['u1'], ['u2'], ['u3']])
})

// API: "Every single event carries api_key, event and distinct_id. properties and timestamp are optional."
test('stores only an event that has an API key, a name and a distinct id', async () => {
  const completeEvent = { api_key: service.apiKey, event: 'whole', distinct_id: 'u' }
  expect((await service.post('/i/v0/e/', completeEvent)).status).toBe(200)
  expect((await service.post('/i/v0/e/', { ...completeEvent, api_key: undefined })).status).toBe(401)
  // Without the other fields it is accepted but not stored.
  expect((await service.post('/i/v0/e/', { ...completeEvent, event: undefined })).status).toBe(200)
  expect((await service.post('/i/v0/e/', { ...completeEvent, distinct_id: undefined })).status).toBe(200)
  expect(await service.queryStored("select count(*) from events where event = 'whole'")).toEqual([[1]])
})

// API: "To capture an anonymous event, set the property $process_person_profile to false."
test('creates no person for an event with $process_person_profile set to false', async () => {
  const properties = { $process_person_profile: false }
  await service.capture({ event: 'anonymous', distinct_id: 'nobody', properties })
  expect(await service.queryStored("select count(*) from events where event = 'anonymous'")).toEqual([[1]])
  expect(await service.queryStored("select count(*) from person_distinct_ids where distinct_id = 'nobody'")).toEqual([
    [0],
  ])
})

// API: "An alias is sent as a $create_alias event; group identification as $groupidentify; person-property updates as $identify."
test('changes persons and groups by $create_alias, $groupidentify and $identify', async () => {
  await service.capture({ event: 'x', distinct_id: 'old' })
  await service.capture({ event: '$create_alias', distinct_id: 'old', properties: { alias: 'new' } })
  await service.capture({
    event: '$groupidentify',
    distinct_id: 'new',
    properties: { $group_type: 'team', $group_key: 'red', $group_set: { size: 3 } },
  })
  await service.capture({ event: '$identify', distinct_id: 'new', properties: { $set: { plan: 'pro' } } })
  const personCountQuery =
    "select count(distinct person_id) from person_distinct_ids where distinct_id in ('old', 'new')"
  expect(await service.queryStored(personCountQuery)).toEqual([[1]])
  const groups = await service.queryStored("select group_key, properties from groups where group_type = 'team'")
  expect(groups.map(([key, properties]) => [key, parseJsonColumn(properties)])).toEqual([['red', { size: 3 }]])
  const planQuery = `select p.properties->>'plan' from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = 'old'`
  expect(await service.queryStored(planQuery)).toEqual([['pro']])
})

test.each(['/e/', '/capture/', '/track/', '/i/v0/e', '/e', '/batch'])(
  'accepts events at %s, which current senders use',
  async (path) => {
    const event = { event: 'alias', distinct_id: path }
    const body = path.startsWith('/batch') ? { batch: [event] } : event
    expect((await service.post(path, { api_key: service.apiKey, ...body })).status).toBe(200)
    expect(await service.queryStored(`select count(*) from events where distinct_id = '${path}'`)).toEqual([[1]])
  },
)

test('applies one or many person updates at /engage/', async () => {
  const { apiKey: $token } = service
  await service.capture({ event: 'x', distinct_id: 'p1', properties: { $set: { kept: 1, gone: 1 } } })
  expect(
    await service.post('/engage/', { $token, $distinct_id: 'p1', $set: { a: 1 }, $unset: ['gone'] }),
  ).toMatchObject({
    status: 200,
    body: { status: 1 },
  })
  const updates = [
    { $token, $distinct_id: 'p1', $set_once: { a: 9, once: 1 } },
    { $token, distinct_id: 'p2', $set: { b: 2 } },
    { $token, $set: { nobody: true } },
    // An unsupported update does not affect the others.
    { $token, $distinct_id: 'p2', $set: { half: true }, $add: { n: 1 } },
    { $token, $distinct_id: 'p2', $unset: { none: 1 } },
  ]
  const data = Buffer.from(JSON.stringify(updates)).toString('base64')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await service.post('/engage/?compression=base64', `data=${encodeURIComponent(data)}`, form)).status).toBe(200)
  const rows = await service.queryStored(
    "select d.distinct_id, p.properties, p.is_identified from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id in ('p1', 'p2') order by 1",
  )
  expect(rows.map(([id, properties, isIdentified]) => [id, parseJsonColumn(properties), isIdentified])).toEqual([
    ['p1', { kept: 1, a: 1, once: 1 }, false],
    ['p2', { b: 2 }, false],
  ])
  // A person with an anonymous id that was updated can still sign in.
  await service.capture({ event: '$identify', distinct_id: 'p3', properties: { $anon_distinct_id: 'p1' } })
  expect(
    await service.queryStored(
      "select count(*), count(distinct person_id) from person_distinct_ids where distinct_id in ('p1', 'p3')",
    ),
  ).toEqual([[2, 1]])
  await service.post('/engage/', { $token, $distinct_id: 'p4', $set: { a: 1 }, $process_person_profile: false })
  expect(await service.queryStored("select count(*) from person_distinct_ids where distinct_id = 'p4'")).toEqual([[0]])
  expect(await service.post('/engage/', { $token, $distinct_id: 'p1', $add: { a: 1 } })).toMatchObject({
    status: 400,
    body: { code: 'unsupported_update', attr: '$add' },
  })
  expect((await service.post('/engage/', { $token: 'wm_unknown', $distinct_id: 'p1', $set: {} })).status).toBe(401)
})

test('makes senders of recordings at /s/ pause, if the key is valid', async () => {
  const snapshot = {
    event: '$snapshot',
    properties: { token: service.apiKey, distinct_id: 'recorded', $snapshot_data: [] },
  }
  for (const body of [snapshot, [snapshot], { api_key: service.apiKey, batch: [snapshot] }]) {
    expect(await service.post('/s/?compression=gzip-js', body)).toMatchObject({
      status: 200,
      body: { status: 1, quota_limited: ['recordings'] },
    })
  }
  expect((await service.post('/s/', { event: '$snapshot', properties: { token: 'wm_unknown' } })).status).toBe(401)
  expect(await service.queryStored("select count(*) from events where distinct_id = 'recorded'")).toEqual([[0]])
})
