import { expect, test } from 'vitest'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'

/** The fields of one event. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()
const ACCEPTED = { status: 200, body: { status: 1 } }

// API: | api_key | string (project API key) | yes | in the body |
test('reads the project API key only in the body', async () => {
  const event = { event: 'keyed', distinct_id: 'key-user' }
  expect(await service.post('/i/v0/e/', { api_key: service.apiKey, ...event })).toMatchObject(ACCEPTED)
  for (const api_key of [undefined, null, '', 5, {}, 'wm_unknown', service.personalApiKey]) {
    const response = await service.post('/i/v0/e/', { api_key, ...event })
    expect([response.status, response.body.attr]).toEqual([401, 'api_key'])
  }
  // The key is read only in the body, not in the query or a header.
  const headers = { authorization: `Bearer ${service.apiKey}` }
  expect((await service.post(`/i/v0/e/?api_key=${service.apiKey}`, event, headers)).status).toBe(401)
  expect(await service.queryStored("select count(*) from events where event = 'keyed'")).toEqual([[1]])
})

// API: | event | string, event name | yes |
test('stores any string as an event name, and rejects other types', async () => {
  const names = ['name', 'a name with spaces', '$pageview', 'größe €', '"quoted"', '0']
  for (const event of names) expect(await service.capture({ event, distinct_id: 'name-user' })).toMatchObject(ACCEPTED)
  for (const event of [5, true, {}, ['a']]) {
    expect(await service.capture({ event, distinct_id: 'name-user' })).toMatchObject({
      status: 400,
      body: { type: 'validation_error', code: 'invalid_event', attr: 'event' },
    })
  }
  const rows = await service.queryStored("select event from events where distinct_id = 'name-user'")
  expect(rows).toHaveLength(names.length)
  expect(new Set(rows.flat())).toEqual(new Set(names))
})

// API: | distinct_id | string | yes | non-empty |
test('stores events with a string or a number as distinct id, and no others', async () => {
  for (const distinct_id of ['someone', 42]) await service.capture({ event: 'identified', distinct_id })
  expect(await service.capture({ event: 'identified', distinct_id: '' })).toMatchObject(ACCEPTED)
  for (const distinct_id of [{}, ['a'], true]) {
    expect(await service.capture({ event: 'identified', distinct_id })).toMatchObject({
      status: 400,
      body: { attr: 'distinct_id' },
    })
  }
  const rows = await service.queryStored("select distinct_id from events where event = 'identified' order by 1")
  expect(rows).toEqual([['42'], ['someone']])
})

// API: | properties | object | no |
test('stores properties of any JSON type, and rejects properties other than an object', async () => {
  const properties = {
    text: 'größe €',
    number: 1.5,
    yes: true,
    none: null,
    list: [1, { deep: '\u2028' }],
    at: '2024-01-01T00:00:00+02:00',
  }
  await service.capture({ event: 'with properties', distinct_id: 'p', properties })
  await service.capture({ event: 'without properties', distinct_id: 'p' })
  await service.capture({ event: 'without properties', distinct_id: 'p', properties: null })
  for (const wrong of ['text', 5, [], true]) {
    expect(await service.capture({ event: 'wrong', distinct_id: 'p', properties: wrong })).toMatchObject({
      status: 400,
      body: { attr: 'properties' },
    })
  }
  const [[stored]] = (await service.queryStored("select properties from events where event = 'with properties'")) as [
    [unknown],
  ]
  expect(parseJsonColumn(stored)).toMatchObject(properties)
  expect(await service.queryStored("select count(*) from events where event = 'without properties'")).toEqual([[2]])
  expect(await service.queryStored("select count(*) from events where event = 'wrong'")).toEqual([[0]])
})

// API: | timestamp | string, ISO 8601 | no |
test('stores ISO 8601 times as UTC, and uses the time of arrival for others', async () => {
  const timedEvent = { event: 'timed', distinct_id: 'when' }
  await service.capture({ ...timedEvent, timestamp: '2024-02-29T12:00:00.123Z' })
  await service.capture({ ...timedEvent, timestamp: '2024-02-29T12:00:00+02:00' })
  await service.capture({ ...timedEvent, timestamp: '2024-02-29T12:00:00' })
  expect(await service.queryStored("select timestamp from events where event = 'timed' order by 1")).toEqual([
    ['2024-02-29T10:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z'],
    ['2024-02-29T12:00:00.123Z'],
  ])
  await service.capture({ ...timedEvent, event: 'untimed' })
  await service.capture({ ...timedEvent, event: 'untimed', timestamp: 'yesterday' })
  expect(
    await service.queryStored("select count(*) from events where event = 'untimed' and timestamp = received_at"),
  ).toEqual([[2]])
})
