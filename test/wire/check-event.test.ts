import { expect, test } from 'vitest'
import { checkEvent } from '../../src/wire/check-event.ts'

test('reads the distinct id from the top level or from the properties', () => {
  expect(checkEvent({ event: 'e', distinct_id: 'a', properties: { distinct_id: 'b' } })).toMatchObject({
    event: { distinctId: 'a' },
  })
  expect(checkEvent({ event: 'e', properties: { distinct_id: 'b' } })).toMatchObject({ event: { distinctId: 'b' } })
  expect(checkEvent({ event: 'e', $distinct_id: 'c', properties: { distinct_id: 'b' } })).toMatchObject({
    event: { distinctId: 'c' },
  })
  expect(checkEvent({ event: 'e', distinct_id: 7 })).toMatchObject({ event: { distinctId: '7' } })
})

test.each([
  [{ distinct_id: 'u' }, 'no_event_name'],
  [{ event: '', distinct_id: 'u' }, 'no_event_name'],
  [{ event: null, distinct_id: 'u' }, 'no_event_name'],
  [{ event: 'e' }, 'no_distinct_id'],
  [{ event: 'e', distinct_id: '' }, 'no_distinct_id'],
  [{ event: 'e', properties: { distinct_id: '' } }, 'no_distinct_id'],
  [{ event: '\0', distinct_id: 'u' }, 'no_event_name'],
  [{ event: ' ', distinct_id: 'u' }, 'no_event_name'],
  [{ event: 'e', distinct_id: '\0\0' }, 'no_distinct_id'],
  [{ event: 'e', distinct_id: ' \0\t' }, 'no_distinct_id'],
  [JSON.parse('{ "event": "e", "distinct_id": 9007199254740993 }'), 'no_distinct_id'],
  [JSON.parse('{ "event": "e", "distinct_id": 1e400 }'), 'no_distinct_id'],
  [{ event: 'e', distinct_id: 0.1 }, 'no_distinct_id'],
])('drops %j with the reason %s', (value, reason) => {
  expect(checkEvent(value)).toEqual({ kind: 'dropped', reason })
})

test.each([
  [5, null],
  [[], null],
  [{ event: 5, distinct_id: 'u' }, 'event'],
  [{ event: 'e', distinct_id: {} }, 'distinct_id'],
  [{ event: 'e', distinct_id: 'u', properties: 'p' }, 'properties'],
])('rejects %j because of the field %s', (value, attr) => {
  expect(checkEvent(value)).toMatchObject({ kind: 'invalid', attr })
})

test('rejects an event with more than 200 levels of objects and arrays', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  const event = (levels: number) => ({ event: 'e', distinct_id: 'u', properties: { a: nested(levels) } })
  expect(checkEvent(event(198))).toMatchObject({ kind: 'event' })
  expect(checkEvent(event(199))).toMatchObject({ kind: 'invalid', attr: 'properties' })
  expect(checkEvent(event(1_000_000))).toMatchObject({ kind: 'invalid' })
})

test('treats missing and null properties as empty', () => {
  expect(checkEvent({ event: 'e', distinct_id: 'u' })).toMatchObject({ event: { properties: {} } })
  expect(checkEvent({ event: 'e', distinct_id: 'u', properties: null })).toMatchObject({ event: { properties: {} } })
})
