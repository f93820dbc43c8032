import { expect, test } from 'vitest'
import { eventOfUpdate } from '../../../src/service/ingest/people-update.ts'
import { parseRequest } from '../../../src/service/ingest/request.ts'

test('makes a $set event of an update', () => {
  const update = {
    $token: 'k',
    $distinct_id: 'u',
    $set: { plan: 'pro' },
    $set_once: { first: 1 },
    $unset: ['old'],
    $time: 5,
    $device_id: 'd',
    uuid: 'i',
    timestamp: '2024-01-01',
  }
  expect(eventOfUpdate(update)).toEqual({
    event: '$set',
    distinct_id: 'u',
    properties: { $set: { plan: 'pro' }, $set_once: { first: 1 }, $unset: ['old'] },
    uuid: 'i',
    timestamp: '2024-01-01',
  })
})

test('takes the id as distinct_id and the changes from the properties, and joins nobody', () => {
  expect(eventOfUpdate({ distinct_id: 'u', properties: { $set: { a: 1 }, $anon_distinct_id: 'x' } })).toEqual({
    event: '$set',
    distinct_id: 'u',
    properties: { $set: { a: 1 } },
  })
})

test.each(['$ip', '$geoip_disable', '$process_person_profile'])(
  'carries %s, of the update before the properties',
  (name) => {
    const properties = { $set: { a: 1 }, [name]: 'inner' }
    expect(eventOfUpdate({ $distinct_id: 'u', properties })).toMatchObject({ properties })
    expect(eventOfUpdate({ $distinct_id: 'u', [name]: null, properties })).toMatchObject({
      properties: { $set: { a: 1 }, [name]: null },
    })
  },
)

test('leaves an update without an id for the check of events to drop', () => {
  expect(eventOfUpdate({ $set: { a: 1 } })).toEqual({ event: '$set', properties: { $set: { a: 1 } } })
})

test.each([
  [{ $distinct_id: 'u', $add: { visits: 1 } }, 'unsupported_update', '$add'],
  [{ $distinct_id: 'u', $set: 5 }, 'invalid_update', '$set'],
  [{ $distinct_id: 'u', $unset: 'a' }, 'invalid_update', '$unset'],
  [{ $distinct_id: 'u' }, 'missing_update', '$set'],
])('refuses %j with %s', (update, code, attr) => {
  expect(() => eventOfUpdate(update)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code, attr }) }),
  )
})

test('finds the key in $token, of one update and of many, at this endpoint only', () => {
  const update = { $token: 'k', $distinct_id: 'u', $set: {} }
  for (const body of [update, [update, update], { batch: [update] }, { token: 'k', batch: [update] }]) {
    expect(parseRequest(JSON.stringify(body), { endpoint: 'engage' }).apiKey).toBe('k')
  }
  expect(parseRequest(JSON.stringify(update)).apiKey).toBeNull()
})

test('takes $unset as the keys of an object too', () => {
  expect(eventOfUpdate({ $distinct_id: 'u', $unset: { a: 1 } })).toMatchObject({ properties: { $unset: { a: 1 } } })
})

test('drops of many updates those that cannot be carried out, and refuses one that came alone', () => {
  const good = { $token: 'k', $distinct_id: 'u', $set: { a: 1 } }
  for (const bad of [{ ...good, $add: { n: 1 } }, { ...good, $set: 5 }, { $distinct_id: 'u' }]) {
    for (const body of [[good, bad, good], { token: 'k', batch: [good, bad, good] }]) {
      const { events } = parseRequest(JSON.stringify(body), { endpoint: 'engage' })
      expect(events).toEqual([eventOfUpdate(good), null, eventOfUpdate(good)])
    }
    expect(() => parseRequest(JSON.stringify(bad), { endpoint: 'engage' })).toThrow(
      expect.objectContaining({ status: 400 }),
    )
  }
})
