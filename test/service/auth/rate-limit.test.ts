import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateLimit } from '../../../src/service/auth/rate-limit.ts'
import { Refusal } from '../../../src/service/refusal.ts'

/** Seconds until one may ask again, 0 for a request that passed. */
const waitOf = (ask: () => void): number => {
  try {
    ask()
    return 0
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    expect(error).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'throttled' } })
    return error.retryAfterSeconds!
  }
}

test('lets as many through as there may be, each key for itself, and says when the next may come', () => {
  const limit = createRateLimit(2, 60_000)
  expect([0, 10_000, 20_000, 59_999].map((now) => waitOf(() => limit(1, now)))).toEqual([0, 0, 40, 1])
  expect(waitOf(() => limit(2, 20_000))).toBe(0)
  expect([60_000, 60_000, 70_000].map((now) => waitOf(() => limit(1, now)))).toEqual([0, 10, 0])
})

test('locks nobody out for longer than the span when the clock is turned back', () => {
  const limit = createRateLimit(1, 60_000)
  limit(1, 1_000_000_000)
  expect(waitOf(() => limit(1, 5000))).toBe(0)
})

test('never lets more through in any span, and refuses only when they were that many', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.integer({ min: 0, max: 40 })), (most, pauses) => {
      const limit = createRateLimit(most, 100)
      const passed: number[] = []
      let now = 1000
      for (const pause of pauses) {
        now += pause
        const recent = passed.filter((at) => now - at < 100).length
        const wait = waitOf(() => limit(1, now))
        expect(wait === 0).toBe(recent < most)
        if (wait === 0) passed.push(now)
      }
    }),
  )
})
