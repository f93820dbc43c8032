import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSpikeWatch } from '../../../src/service/ingest/spike.ts'

const MINUTE = 60_000
const START = 1_800_000_000_000 - (1_800_000_000_000 % MINUTE)

/** A watch that has seen a project receive so many events in each of so many minutes. */
const watchAfter = (minutes: number, perMinute: number) => {
  const watch = createSpikeWatch()
  for (let minute = 0; minute < minutes; minute++) {
    expect(watch(1, perMinute, START + minute * MINUTE)).toBeNull()
  }
  return { watch, now: START + minutes * MINUTE }
}

test('tells a minute with ten times the mean of the last hour', () => {
  const { watch, now } = watchAfter(90, 200)
  expect(watch(1, 1999, now)).toBeNull()
  expect(watch(1, 1, now + 1)).toEqual({ events: 2000, mean: 200 })
})

test('tells no minute with fewer than a thousand events', () => {
  const { watch, now } = watchAfter(60, 1)
  expect(watch(1, 999, now)).toBeNull()
  expect(watch(1, 1, now)).toEqual({ events: 1000, mean: 1 })
})

test('tells a spike once an hour', () => {
  const { watch, now } = watchAfter(60, 1)
  expect(watch(1, 1000, now)).not.toBeNull()
  expect(watch(1, 100_000, now + 59 * MINUTE)).toBeNull()
  expect(watch(1, 10_000_000, now + 60 * MINUTE)).not.toBeNull()
})

test('tells nothing in the first ten minutes, when a busy project that was just started would look like one', () => {
  const { watch, now } = watchAfter(9, 5)
  expect(watch(1, 100_000, now)).toBeNull()
})

test('counts minutes without events into the mean', () => {
  const { watch, now } = watchAfter(30, 1000)
  // 30 of the last 60 minutes had 1,000 events each, the other 30 none.
  expect(watch(1, 4999, now + 30 * MINUTE)).toBeNull()
  expect(watch(1, 1, now + 30 * MINUTE)).toEqual({ events: 5000, mean: 500 })
})

test('forgets what is more than an hour ago', () => {
  const { watch, now } = watchAfter(60, 100_000)
  expect(watch(1, 1000, now + 3 * 60 * MINUTE)).toEqual({ events: 1000, mean: 0 })
})

test('keeps projects apart', () => {
  const { watch, now } = watchAfter(60, 1)
  expect(watch(2, 100_000, now)).toBeNull()
  expect(watch(1, 1000, now)).not.toBeNull()
})

test('begins anew when the clock jumps back, and is not confused by one that is set right by seconds', () => {
  const steady = watchAfter(60, 100)
  expect(steady.watch(1, 500, steady.now)).toBeNull()
  expect(steady.watch(1, 499, steady.now - 1)).toBeNull()
  expect(steady.watch(1, 1, steady.now)).toEqual({ events: 1000, mean: 100 })
  const jumped = watchAfter(60, 100)
  expect(jumped.watch(1, 100_000, START)).toBeNull()
})

test('tells the same as a count of all events would', () => {
  const arrivals = fc.array(fc.record({ after: fc.nat(5 * MINUTE), events: fc.nat(3000) }), { minLength: 20 })
  fc.assert(
    fc.property(arrivals, (all) => {
      const watch = createSpikeWatch()
      const seen: { minute: number; events: number }[] = []
      let now = START
      let toldAt = Number.NEGATIVE_INFINITY
      for (const { after, events } of all) {
        now += after
        const minute = Math.floor(now / MINUTE)
        seen.push({ minute, events })
        const sum = (from: number, to: number): number =>
          seen
            .filter((each) => each.minute >= from && each.minute <= to)
            .reduce((total, each) => total + each.events, 0)
        const age = minute - seen[0]!.minute
        const mean = sum(minute - 60, minute - 1) / Math.min(Math.max(age, 1), 60)
        const current = sum(minute, minute)
        const isSpike = age >= 10 && current >= 1000 && current >= 10 * mean && now - toldAt >= 60 * MINUTE
        if (isSpike) toldAt = now
        expect(watch(1, events, now)).toEqual(isSpike ? { events: current, mean } : null)
      }
    }),
  )
})
