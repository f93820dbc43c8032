import { expect, it } from 'vitest'
import { summaryOf } from './summary.mjs'

it('quotes the middle round of a speed', () => {
  expect(summaryOf([{ eventsPerSecond: 3 }, { eventsPerSecond: 100 }, { eventsPerSecond: 1 }])).toEqual({
    eventsPerSecond: 3,
  })
})

it('quotes the worst round of a loss, of what came twice and of memory', () => {
  const rounds = [
    { delivered: 10, accounted: 10, deliveredTwice: 0, peakBytes: 5 },
    { delivered: 8, accounted: 9, deliveredTwice: 2, peakBytes: 7 },
    { delivered: 10, accounted: 10, deliveredTwice: 0, peakBytes: 6 },
  ]
  expect(summaryOf(rounds)).toEqual({ delivered: 8, accounted: 9, deliveredTwice: 2, peakBytes: 7 })
})

it('leaves out what no round has, and takes the rounds that have it', () => {
  expect(summaryOf([{ seconds: undefined }, { seconds: 2 }])).toEqual({ seconds: 2 })
  expect(summaryOf([{ seconds: undefined }])).toEqual({})
})

it('keeps no digits that no run would show again, but every event', () => {
  expect(summaryOf([{ p50Microseconds: 1.23456789, delivered: 199_999 }])).toEqual({
    p50Microseconds: 1.23457,
    delivered: 199_999,
  })
})
