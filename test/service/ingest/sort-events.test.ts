import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortEvents } from '../../../src/service/ingest/sort-events.ts'
import type { SortableEvent } from '../../../src/service/ingest/sort-events.ts'

const uuidV7 = (counter: number): string => `019a0000-0000-7${counter.toString(16).padStart(3, '0')}-8000-000000000000`
const RANDOM_UUID = '5f0c1b1e-9d3c-4c53-8a56-0c6b6f0a3c11'

const createEvent = (timestamp: number, uuid: string | undefined, index: number): SortableEvent => ({
  timestamp,
  uuid,
  index,
})
const indexesOf = (events: readonly SortableEvent[]): number[] => sortEvents(events).map(({ index }) => index)

test('sorts events by time', () => {
  expect(
    indexesOf([createEvent(3, uuidV7(1), 0), createEvent(1, RANDOM_UUID, 1), createEvent(2, undefined, 2)]),
  ).toEqual([1, 2, 0])
})

test('sorts events of one millisecond by uuid when all uuids are version 7', () => {
  expect(indexesOf([createEvent(1, uuidV7(3), 0), createEvent(1, uuidV7(1), 1), createEvent(1, uuidV7(2), 2)])).toEqual(
    [1, 2, 0],
  )
})

test.each([undefined, RANDOM_UUID])('sorts events of one millisecond by index when one uuid is %s', (uuid) => {
  expect(indexesOf([createEvent(1, uuidV7(3), 0), createEvent(1, uuid, 1), createEvent(1, uuidV7(2), 2)])).toEqual([
    0, 1, 2,
  ])
})

test('sorts any permutation to one order if times or version 7 uuids differ', () => {
  const events = fc.uniqueArray(fc.tuple(fc.nat(3), fc.nat(40)), { selector: String, maxLength: 30 })
  const permuted = events.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  )
  const order = (list: readonly (readonly [number, number])[]) =>
    sortEvents(list.map(([time, counter], index) => createEvent(time, uuidV7(counter), index))).map(
      ({ timestamp, uuid }) => `${timestamp} ${uuid}`,
    )
  fc.assert(
    fc.property(permuted, ([list, other]) => {
      expect(order(other)).toEqual(order(list))
    }),
  )
})

test('sorts hundreds of thousands of events of one millisecond', () => {
  const manyEvents = Array.from({ length: 300_000 }, (_, index) => createEvent(1, uuidV7(4095 - (index % 4096)), index))
  expect(sortEvents(manyEvents)[0]).toEqual(manyEvents[4095])
})
