import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { inProcessingOrder } from '../../../src/service/ingest/processing-order.ts'
import type { Placed } from '../../../src/service/ingest/processing-order.ts'

const uuidV7 = (counter: number): string => `019a0000-0000-7${counter.toString(16).padStart(3, '0')}-8000-000000000000`
const RANDOM_UUID = '5f0c1b1e-9d3c-4c53-8a56-0c6b6f0a3c11'

const placed = (timestamp: number, uuid: string | undefined, index: number): Placed => ({ timestamp, uuid, index })
const places = (events: readonly Placed[]): number[] => inProcessingOrder(events).map(({ index }) => index)

test('orders by time before anything else', () => {
  expect(places([placed(3, uuidV7(1), 0), placed(1, RANDOM_UUID, 1), placed(2, undefined, 2)])).toEqual([1, 2, 0])
})

test('orders one millisecond by uuid when all its events have version 7 uuids', () => {
  expect(places([placed(1, uuidV7(3), 0), placed(1, uuidV7(1), 1), placed(1, uuidV7(2), 2)])).toEqual([1, 2, 0])
})

test.each([undefined, RANDOM_UUID])('orders one millisecond by place when one of its uuids is %s', (uuid) => {
  expect(places([placed(1, uuidV7(3), 0), placed(1, uuid, 1), placed(1, uuidV7(2), 2)])).toEqual([0, 1, 2])
})

test('gives the same order for every permutation of events that differ in time or version 7 uuid', () => {
  const events = fc.uniqueArray(fc.tuple(fc.nat(3), fc.nat(40)), { selector: String, maxLength: 30 })
  const permuted = events.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  )
  const order = (list: readonly (readonly [number, number])[]) =>
    inProcessingOrder(list.map(([time, counter], index) => placed(time, uuidV7(counter), index))).map(
      ({ timestamp, uuid }) => `${timestamp} ${uuid}`,
    )
  fc.assert(
    fc.property(permuted, ([list, other]) => {
      expect(order(other)).toEqual(order(list))
    }),
  )
})

test('takes a request of very many events of one millisecond', () => {
  const many = Array.from({ length: 300_000 }, (_, index) => placed(1, uuidV7(4095 - (index % 4096)), index))
  expect(inProcessingOrder(many)[0]).toEqual(many[4095])
})
