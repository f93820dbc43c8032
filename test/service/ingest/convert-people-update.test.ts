import { expect, test } from 'vitest'
import { convertPeopleUpdate } from '../../../src/service/ingest/convert-people-update.ts'
import { parseRequest } from '../../../src/service/ingest/parse-request.ts'

test('converts an update to a $set event', () => {
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
  expect(convertPeopleUpdate(update)).toEqual({
    event: '$set',
    distinct_id: 'u',
    properties: { $set: { plan: 'pro' }, $set_once: { first: 1 }, $unset: ['old'] },
    uuid: 'i',
    timestamp: '2024-01-01',
  })
})

test('reads distinct_id and changes in properties, and does not merge', () => {
  expect(convertPeopleUpdate({ distinct_id: 'u', properties: { $set: { a: 1 }, $anon_distinct_id: 'x' } })).toEqual({
    event: '$set',
    distinct_id: 'u',
    properties: { $set: { a: 1 } },
  })
})

test.each(['$ip', '$geoip_disable', '$process_person_profile'])(
  'copies %s, from the update before the properties',
  (name) => {
    const properties = { $set: { a: 1 }, [name]: 'inner' }
    expect(convertPeopleUpdate({ $distinct_id: 'u', properties })).toMatchObject({ properties })
    expect(convertPeopleUpdate({ $distinct_id: 'u', [name]: null, properties })).toMatchObject({
      properties: { $set: { a: 1 }, [name]: null },
    })
  },
)

test('converts an update without an id', () => {
  expect(convertPeopleUpdate({ $set: { a: 1 } })).toEqual({ event: '$set', properties: { $set: { a: 1 } } })
})

test.each([
  [{ $distinct_id: 'u', $add: { visits: 1 } }, 'unsupported_update', '$add'],
  [{ $distinct_id: 'u', $set: 5 }, 'invalid_update', '$set'],
  [{ $distinct_id: 'u', $unset: 'a' }, 'invalid_update', '$unset'],
  [{ $distinct_id: 'u' }, 'missing_update', '$set'],
])('rejects %j with %s', (update, code, attr) => {
  expect(() => convertPeopleUpdate(update)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code, attr }) }),
  )
})

test('reads the key in $token, only at /engage/', () => {
  const update = { $token: 'k', $distinct_id: 'u', $set: {} }
  for (const body of [update, [update, update], { batch: [update] }, { token: 'k', batch: [update] }]) {
    expect(parseRequest(JSON.stringify(body), { endpoint: 'engage' }).apiKey).toBe('k')
  }
  expect(parseRequest(JSON.stringify(update)).apiKey).toBeNull()
})

test('accepts $unset as an object', () => {
  expect(convertPeopleUpdate({ $distinct_id: 'u', $unset: { a: 1 } })).toMatchObject({
    properties: { $unset: { a: 1 } },
  })
})

test('drops invalid updates of many, and rejects a single one', () => {
  const good = { $token: 'k', $distinct_id: 'u', $set: { a: 1 } }
  for (const bad of [{ ...good, $add: { n: 1 } }, { ...good, $set: 5 }, { $distinct_id: 'u' }]) {
    for (const body of [[good, bad, good], { token: 'k', batch: [good, bad, good] }]) {
      const { events } = parseRequest(JSON.stringify(body), { endpoint: 'engage' })
      expect(events).toEqual([convertPeopleUpdate(good), null, convertPeopleUpdate(good)])
    }
    expect(() => parseRequest(JSON.stringify(bad), { endpoint: 'engage' })).toThrow(
      expect.objectContaining({ status: 400 }),
    )
  }
})
