import { expect, it } from 'vitest'
import { deliveryRate } from './rate.mjs'

const arrivals = (count: number, everyMs: number): [number, number][] =>
  Array.from({ length: count }, (_, n) => [1000 + (n + 1) * everyMs, (n + 1) * 10])

it('is what came by the time that it took', () => {
  expect(deliveryRate(arrivals(100, 10), { startedAt: 1000, before: 0 })).toBeCloseTo(1000)
})

it('leaves out what came before', () => {
  const later = arrivals(100, 10).map(([at, delivered]): [number, number] => [at, delivered + 500])
  expect(deliveryRate([[900, 500], ...later], { startedAt: 1000, before: 500 })).toBeCloseTo(1000)
})

it('does not wait for the last few', () => {
  expect(deliveryRate([...arrivals(100, 10), [60_000, 1001]], { startedAt: 1000, before: 0 })).toBeCloseTo(1000)
})

it('is none when nothing came', () => {
  expect(deliveryRate([], { startedAt: 1000, before: 0 })).toBe(0)
  expect(deliveryRate([[900, 500]], { startedAt: 1000, before: 500 })).toBe(0)
})
