import { expect, it } from 'vitest'
import { deliveryRate } from './delivery-rate.mjs'

const arrivals = (count: number, everyMs: number): [number, number][] =>
  Array.from({ length: count }, (_, n) => [1000 + (n + 1) * everyMs, (n + 1) * 10])

it('divides the delivered events by the time', () => {
  expect(deliveryRate(arrivals(100, 10), { startedAt: 1000, before: 0 })).toBeCloseTo(1000)
})

it('excludes earlier events', () => {
  const later = arrivals(100, 10).map(([at, delivered]): [number, number] => [at, delivered + 500])
  expect(deliveryRate([[900, 500], ...later], { startedAt: 1000, before: 500 })).toBeCloseTo(1000)
})

it('ignores the last few events', () => {
  expect(deliveryRate([...arrivals(100, 10), [60_000, 1001]], { startedAt: 1000, before: 0 })).toBeCloseTo(1000)
})

it('is zero without events', () => {
  expect(deliveryRate([], { startedAt: 1000, before: 0 })).toBe(0)
  expect(deliveryRate([[900, 500]], { startedAt: 1000, before: 500 })).toBe(0)
})
