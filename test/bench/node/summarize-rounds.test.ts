import { expect, it } from 'vitest'
import { summarizeRounds } from './summarize-rounds.mjs'

it('takes the median of speeds', () => {
  expect(summarizeRounds([{ eventsPerSecond: 3 }, { eventsPerSecond: 100 }, { eventsPerSecond: 1 }])).toEqual({
    eventsPerSecond: 3,
  })
})

it('takes the worst value of losses, duplicates and memory', () => {
  const rounds = [
    { delivered: 10, accounted: 10, deliveredTwice: 0, peakBytes: 5 },
    { delivered: 8, accounted: 9, deliveredTwice: 2, peakBytes: 7 },
    { delivered: 10, accounted: 10, deliveredTwice: 0, peakBytes: 6 },
  ]
  expect(summarizeRounds(rounds)).toEqual({ delivered: 8, accounted: 9, deliveredTwice: 2, peakBytes: 7 })
})

it('ignores missing values', () => {
  expect(summarizeRounds([{ seconds: undefined }, { seconds: 2 }])).toEqual({ seconds: 2 })
  expect(summarizeRounds([{ seconds: undefined }])).toEqual({})
})

it('rounds to six significant digits, which keeps event counts exact', () => {
  expect(summarizeRounds([{ p50Microseconds: 1.23456789, delivered: 199_999 }])).toEqual({
    p50Microseconds: 1.23457,
    delivered: 199_999,
  })
})
