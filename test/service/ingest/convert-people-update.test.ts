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

test('reads changes in `properties` and ignores the anonymous id there', () => {
  expect(convertPeopleUpdate({ distinct_id: 'u', properties: { $set: { a: 1 }, $anon_distinct_id: 'x' } })).toEqual({
    event: '$set',
    distinct_id: 'u',
    properties: { $set: { a: 1 } },
  })
})

test.each(['$ip', '$geoip_disable', '$process_person_profile'])(
  'copies %s from the update, or else from its `properties`',
  (name) => {
    const properties = { $set: { a: 1 }, [name]: 'inner' }
    expect(convertPeopleUpdate({ $distinct_id: 'u', properties })).toMatchObject({ properties })
    expect(convertPeopleUpdate({ $distinct_id: 'u', [name]: null, properties })).toMatchObject({
      properties: { $set: { a: 1 }, [name]: null },
    })
  },
)

test('converts an update without a distinct id to an event without one', () => {
  expect(convertPeopleUpdate({ $set: { a: 1 } })).toEqual({ event: '$set', properties: { $set: { a: 1 } } })
})

test.each([
  [{ $distinct_id: 'u', $add: { visits: 1 } }, 'unsupported_update', '$add'],
  [{ $distinct_id: 'u', $set: 5 }, 'invalid_update', '$set'],
  [{ $distinct_id: 'u', $unset: 'a' }, 'invalid_update', '$unset'],
  [{ $distinct_id: 'u' }, 'missing_update', '$set'],
])('rejects the update %j with %s', (update, code, attr) => {
  expect(() => convertPeopleUpdate(update)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code, attr }) }),
  )
})

test('reads the project API key in `$token` at /engage/ only', () => {
  const update = { $token: 'k', $distinct_id: 'u', $set: {} }
  for (const body of [update, [update, update], { batch: [update] }, { token: 'k', batch: [update] }]) {
    expect(parseRequest(JSON.stringify(body), { endpoint: 'engage' }).apiKey).toBe('k')
  }
  expect(parseRequest(JSON.stringify(update)).apiKey).toBeNull()
})

test('accepts an object in `$unset`, whose keys are the properties to remove', () => {
  expect(convertPeopleUpdate({ $distinct_id: 'u', $unset: { a: 1 } })).toMatchObject({
    properties: { $unset: { a: 1 } },
  })
})

test('drops invalid updates in a list, and rejects an invalid single update', () => {
  const validUpdate = { $token: 'k', $distinct_id: 'u', $set: { a: 1 } }
  for (const invalidUpdate of [
    { ...validUpdate, $add: { n: 1 } },
    { ...validUpdate, $set: 5 },
    { $distinct_id: 'u' },
  ]) {
    for (const body of [
      [validUpdate, invalidUpdate, validUpdate],
      { token: 'k', batch: [validUpdate, invalidUpdate, validUpdate] },
    ]) {
      const { events } = parseRequest(JSON.stringify(body), { endpoint: 'engage' })
      expect(events).toEqual([convertPeopleUpdate(validUpdate), null, convertPeopleUpdate(validUpdate)])
    }
    expect(() => parseRequest(JSON.stringify(invalidUpdate), { endpoint: 'engage' })).toThrow(
      expect.objectContaining({ status: 400 }),
    )
  }
})
