import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSpikeDetector } from '../../../src/service/ingest/spike-detector.ts'

const MINUTE = 60_000
const START = 1_800_000_000_000 - (1_800_000_000_000 % MINUTE)

/** A detector that has counted `perMinute` events in each of `minutes` minutes. */
const detectorAfter = (minutes: number, perMinute: number) => {
  const detect = createSpikeDetector()
  for (let minute = 0; minute < minutes; minute++) {
    expect(detect(1, perMinute, START + minute * MINUTE)).toBeNull()
  }
  return { detect, now: START + minutes * MINUTE }
}

test('reports a minute with ten times the mean event count of the last hour', () => {
  const { detect, now } = detectorAfter(90, 200)
  expect(detect(1, 1999, now)).toBeNull()
  expect(detect(1, 1, now + 1)).toEqual({ events: 2000, mean: 200 })
})

test('reports no minute with fewer than a thousand events', () => {
  const { detect, now } = detectorAfter(60, 1)
  expect(detect(1, 999, now)).toBeNull()
  expect(detect(1, 1, now)).toEqual({ events: 1000, mean: 1 })
})

test('reports at most one spike an hour', () => {
  const { detect, now } = detectorAfter(60, 1)
  expect(detect(1, 1000, now)).not.toBeNull()
  expect(detect(1, 100_000, now + 59 * MINUTE)).toBeNull()
  expect(detect(1, 10_000_000, now + 60 * MINUTE)).not.toBeNull()
})

test('reports no spike in the first ten minutes', () => {
  const { detect, now } = detectorAfter(9, 5)
  expect(detect(1, 100_000, now)).toBeNull()
})

test('includes minutes without events in the mean', () => {
  const { detect, now } = detectorAfter(30, 1000)
  // 30 of the last 60 minutes had 1,000 events each, the other 30 none.
  expect(detect(1, 4999, now + 30 * MINUTE)).toBeNull()
  expect(detect(1, 1, now + 30 * MINUTE)).toEqual({ events: 5000, mean: 500 })
})

test('ignores events from more than an hour ago', () => {
  const { detect, now } = detectorAfter(60, 100_000)
  expect(detect(1, 1000, now + 3 * 60 * MINUTE)).toEqual({ events: 1000, mean: 0 })
})

test('counts the events of each project separately', () => {
  const { detect, now } = detectorAfter(60, 1)
  expect(detect(2, 100_000, now)).toBeNull()
  expect(detect(1, 1000, now)).not.toBeNull()
})

test('forgets its counts when the clock jumps back, but not by a few seconds', () => {
  const steady = detectorAfter(60, 100)
  expect(steady.detect(1, 500, steady.now)).toBeNull()
  expect(steady.detect(1, 499, steady.now - 1)).toBeNull()
  expect(steady.detect(1, 1, steady.now)).toEqual({ events: 1000, mean: 100 })
  const jumped = detectorAfter(60, 100)
  expect(jumped.detect(1, 100_000, START)).toBeNull()
})

test('agrees with a simple detector that stores all events', () => {
  const arrivals = fc.array(fc.record({ after: fc.nat(5 * MINUTE), events: fc.nat(3000) }), { minLength: 20 })
  fc.assert(
    fc.property(arrivals, (all) => {
      const detect = createSpikeDetector()
      const arrived: { minute: number; events: number }[] = []
      let now = START
      let reportedAt = Number.NEGATIVE_INFINITY
      for (const { after, events } of all) {
        now += after
        const minute = Math.floor(now / MINUTE)
        arrived.push({ minute, events })
        const sum = (from: number, to: number): number =>
          arrived
            .filter((each) => each.minute >= from && each.minute <= to)
            .reduce((total, each) => total + each.events, 0)
        const age = minute - arrived[0]!.minute
        const mean = sum(minute - 60, minute - 1) / Math.min(Math.max(age, 1), 60)
        const current = sum(minute, minute)
        const isSpike = age >= 10 && current >= 1000 && current >= 10 * mean && now - reportedAt >= 60 * MINUTE
        if (isSpike) reportedAt = now
        expect(detect(1, events, now)).toEqual(isSpike ? { events: current, mean } : null)
      }
    }),
  )
})
