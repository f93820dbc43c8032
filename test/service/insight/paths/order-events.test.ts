import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderEvents } from '../../../../src/service/insight/paths/order-events.ts'

const order = (events: readonly (readonly [number, string])[]): readonly number[] => [
  ...orderEvents(
    Float64Array.from(events, ([time]) => time),
    (a, b) => (events[a]![1] < events[b]![1] ? -1 : 1),
  ),
]

describe('the order of events', () => {
  test('is by time, then by uuid', () => {
    expect(
      order([
        [5, 'a'],
        [-3, 'b'],
        [5, '9'],
        [4, 'z'],
      ]),
    ).toEqual([1, 3, 2, 0])
    expect(order([])).toEqual([])
  })

  test('is the same for times that are too far apart to be sorted with their places', () => {
    const time = fc.constantFrom(0, 1, 8.64e15, -8.64e15, 1_700_000_000_000)
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(time, fc.uuid()), { selector: ([, uuid]) => uuid }), (events) => {
        const expected = events
          .map((event, place) => ({ event, place }))
          .toSorted((a, b) => a.event[0] - b.event[0] || (a.event[1] < b.event[1] ? -1 : 1))
          .map(({ place }) => place)
        expect(order(events)).toEqual(expected)
      }),
    )
  })
})
