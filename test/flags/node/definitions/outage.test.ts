import { expect, it } from 'vitest'
import { createOutage } from '../../../../src/flags/node/definitions/outage.ts'

/** Milliseconds that are left of an outage of 1 s after streams that lived for these times. */
const downMsAfter = (...livesMs: readonly number[]): number => {
  const outage = createOutage()
  for (const liveMs of livesMs) {
    outage.add(1_000)
    outage.streamEnded(liveMs)
  }
  return outage.downMs()
}

it('adds up the time without a stream, until it is cleared', () => {
  const outage = createOutage()
  outage.add(1_000)
  outage.add(500)
  outage.add(-2_000)
  expect(outage.downMs()).toBe(1_500)
  outage.clear()
  expect(outage.downMs()).toBe(0)
})

it('goes on after a stream of less than 5 s', () => {
  expect(downMsAfter(4_999, 0)).toBe(2_000)
  expect(downMsAfter(4_999, 5_000)).toBe(0)
})

it('ends three times in a row after a stream of less than 45 s', () => {
  expect(downMsAfter(44_999, 5_000, 5_000)).toBe(0)
  expect(downMsAfter(44_999, 5_000, 5_000, 44_999, 5_000)).toBe(2_000)
})

it('ends after each stream of 45 s, which lets three shorter ones end it again', () => {
  expect(downMsAfter(5_000, 5_000, 5_000, 5_000, 45_000)).toBe(0)
  expect(downMsAfter(5_000, 5_000, 5_000, 45_000, 5_000, 5_000, 5_000)).toBe(0)
})
