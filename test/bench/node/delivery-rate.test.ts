import { expect, it } from 'vitest'
import { deliveryRate } from './delivery-rate.mjs'

type Arrival = [atMs: number, totalDelivered: number]

const arrivals = (count: number, everyMs: number): Arrival[] =>
  Array.from({ length: count }, (_, n) => [1000 + (n + 1) * everyMs, (n + 1) * 10])

it('divides the delivered events by the time', () => {
  expect(deliveryRate(arrivals(100, 10), { startedAt: 1000, deliveredBefore: 0 })).toBeCloseTo(1000)
})

it('excludes earlier events', () => {
  const later = arrivals(100, 10).map(([atMs, totalDelivered]): Arrival => [atMs, totalDelivered + 500])
  expect(deliveryRate([[900, 500], ...later], { startedAt: 1000, deliveredBefore: 500 })).toBeCloseTo(1000)
})

it('ignores a late last event', () => {
  expect(deliveryRate([...arrivals(100, 10), [60_000, 1001]], { startedAt: 1000, deliveredBefore: 0 })).toBeCloseTo(
    1000,
  )
})

it('is zero without events', () => {
  expect(deliveryRate([], { startedAt: 1000, deliveredBefore: 0 })).toBe(0)
  expect(deliveryRate([[900, 500]], { startedAt: 1000, deliveredBefore: 500 })).toBe(0)
})
