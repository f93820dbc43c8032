import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  MAX_EVENT_BYTES,
  MAX_EVENT_NAME_CHARACTERS,
  MAX_GROUP_KEY_CHARACTERS,
  MAX_ID_CHARACTERS,
  MAX_PROPERTY_NAME_CHARACTERS,
} from '../../../src/wire/bounds.ts'
import { countDropped } from '../../../src/service/ingest/event-losses.ts'
import { inspectBody } from '../../../src/service/ingest/inspect-body.ts'
import { readEvents } from '../../../src/service/ingest/read-events.ts'
import { toObject } from '../../../src/service/json/json-members.ts'

const FORMAT = { type: null, compression: null, encoding: null } as never

/** What the front says of a request, and what the indexer reads of it. */
const send = (request: unknown) => {
  const body = Buffer.from(typeof request === 'string' ? request : JSON.stringify(request))
  const events = readEvents({
    id: 1,
    projectId: 1,
    receivedAt: 1_800_000_000_000,
    address: null,
    form: '{}',
    body,
    decompressed: body,
  })
  return { inspection: inspectBody(body, FORMAT, 20 * 2 ** 20), events }
}

const usual = { event: 'e', distinct_id: 'u', properties: { a: 1 } }
const batch = (...events: readonly unknown[]) => ({ api_key: 'k', batch: [usual, ...events] })

test('takes names, ids and keys of exactly their greatest length as they are', () => {
  const event = {
    event: '$create_alias',
    distinct_id: 'd'.repeat(MAX_ID_CHARACTERS),
    properties: {
      alias: 'é'.repeat(MAX_ID_CHARACTERS),
      $device_id: '漢'.repeat(MAX_ID_CHARACTERS),
      $groups: { company: 'g'.repeat(MAX_GROUP_KEY_CHARACTERS) },
      ['p'.repeat(MAX_PROPERTY_NAME_CHARACTERS)]: 1,
    },
  }
  const named = { ...usual, event: 'n'.repeat(MAX_EVENT_NAME_CHARACTERS) }
  const { inspection, events } = send(batch(event, named))
  expect(inspection.losses).toBeNull()
  expect(events.map(({ event: name }) => name)).toEqual(['e', event.event, named.event])
  expect(toObject(events[1]!.properties)).toEqual(event.properties)
})

test.each([
  ['distinct_id', { ...usual, distinct_id: 'd'.repeat(MAX_ID_CHARACTERS + 1) }],
  ['$device_id', { ...usual, properties: { $device_id: 'd'.repeat(MAX_ID_CHARACTERS + 1) } }],
  [
    '$anon_distinct_id',
    { ...usual, event: '$identify', properties: { $anon_distinct_id: 'd'.repeat(MAX_ID_CHARACTERS + 1) } },
  ],
  ['alias', { ...usual, event: '$create_alias', properties: { alias: 'd'.repeat(MAX_ID_CHARACTERS + 1) } }],
  [
    '$group_key',
    {
      ...usual,
      event: '$groupidentify',
      properties: { $group_type: 'company', $group_key: 'g'.repeat(MAX_GROUP_KEY_CHARACTERS + 1) },
    },
  ],
  [
    '$group_type',
    {
      ...usual,
      event: '$groupidentify',
      properties: { $group_type: 'g'.repeat(MAX_GROUP_KEY_CHARACTERS + 1), $group_key: 'k' },
    },
  ],
])('refuses an event whose %s is too long, and never cuts it', (attr, event) => {
  const { inspection, events } = send(batch(event))
  expect(events).toHaveLength(1)
  expect(inspection.losses).toMatchObject({ dropped: { id_too_long: 1 } })
  expect(inspection.losses!.detail).toBe(`"${attr}" of an event must have at most 400 characters, but it has 401.`)
  const alone = send({ api_key: 'k', ...event })
  expect(alone.events).toEqual([])
  expect(alone.inspection.failure).toMatchObject({ status: 400, body: { code: 'id_too_long', attr } })
})

test('keeps a long "alias" of an event that does not set one, as it is the property of a user', () => {
  const { inspection, events } = send(batch({ ...usual, properties: { alias: 'a'.repeat(5_000) } }))
  expect([inspection.losses, events.length]).toEqual([null, 2])
})

test('cuts the name of an event, and leaves out long property names and groups', () => {
  const long = 'p'.repeat(MAX_PROPERTY_NAME_CHARACTERS + 1)
  const event = {
    event: 'n'.repeat(9_000),
    distinct_id: 'u',
    $set: { [long]: 1, plan: 'pro' },
    properties: { [long]: 1, a: 1, $set_once: { [long]: 1 }, $groups: { company: 'g'.repeat(401), team: 't' } },
  }
  const { inspection, events } = send(batch(event))
  expect(events[1]!.event).toBe('n'.repeat(MAX_EVENT_NAME_CHARACTERS))
  expect(toObject(events[1]!.properties)).toEqual({
    a: 1,
    $set: { plan: 'pro' },
    $set_once: {},
    $groups: { team: 't' },
  })
  expect(inspection.losses).toMatchObject({ cut: { eventNames: 1, properties: 3, groups: 1 } })
  expect(countDropped(inspection.losses!)).toBe(0)
})

test('refuses an event of more than 1 MiB, by its bytes as they were sent', () => {
  const eventOf = (bytes: number) => `{"event":"e","distinct_id":"u","properties":{"a":"${'x'.repeat(bytes - 53)}"}}`
  expect(eventOf(100)).toHaveLength(100)
  const events = [eventOf(MAX_EVENT_BYTES), eventOf(MAX_EVENT_BYTES + 1), eventOf(60)]
  const { inspection, events: stored } = send(`{"batch":[${events.join(' ,\n')}]}`)
  expect(stored.map(({ index }) => index)).toEqual([0, 2])
  expect(inspection.losses).toMatchObject({ dropped: { too_large: 1 } })
  // An escape in the name makes the body unusual, so that it is parsed.
  const unusual = send(`{"b\\u0061tch":[${events.join(',')}]}`)
  expect(unusual.events.map(({ index }) => index)).toEqual([0, 2])
  expect(unusual.inspection.losses).toMatchObject({ dropped: { too_large: 1 } })
  const alone = send(eventOf(MAX_EVENT_BYTES + 1))
  expect([alone.events, alone.inspection.failure?.status]).toEqual([[], 413])
})

test('names the fields and lengths of an event without an id, but no values', () => {
  const { inspection } = send(batch({ event: 'secret', distinctId: 'hidden', properties: {} }))
  expect(inspection.losses).toMatchObject({ dropped: { no_distinct_id: 1 } })
  expect(inspection.losses!.detail).toBe(
    'An event has no usable "distinct_id". Its fields: "event" (6 characters), "distinctId" (6 characters), "properties".',
  )
})

test('the front counts as stored exactly the events that the indexer reads', () => {
  const length = fc.constantFrom(1, 199, 200, 201, 399, 400, 401, 512, 513)
  const unit = fc.constantFrom('a', 'é', '😀', '\0', ' ', '\\')
  const text = fc.tuple(unit, length).map(([character, count]) => `x${character.repeat(count - 1)}`)
  const properties = fc.record(
    {
      $set: fc.dictionary(text, fc.constant(1), { maxKeys: 2 }),
      $groups: fc.dictionary(text, text, { maxKeys: 2 }),
      $device_id: text,
      $anon_distinct_id: text,
      alias: text,
      $group_type: text,
      $group_key: text,
      own: text,
    },
    { requiredKeys: [] },
  )
  const name = fc.oneof(text, fc.constantFrom('$identify', '$create_alias', '$groupidentify'))
  const event = fc.record({ event: name, distinct_id: text, properties })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), (events) => {
      const { inspection, events: stored } = send({ api_key: 'k', batch: events })
      const dropped = inspection.losses === null ? 0 : countDropped(inspection.losses)
      expect(stored).toHaveLength(events.length - dropped)
      for (const { event: stored_, distinctId } of stored) {
        expect(stored_.length).toBeLessThanOrEqual(MAX_EVENT_NAME_CHARACTERS)
        expect(stored_).not.toMatch(/\p{Surrogate}/u)
        expect(distinctId.length).toBeLessThanOrEqual(MAX_ID_CHARACTERS)
      }
    }),
    { numRuns: 500 },
  )
})
