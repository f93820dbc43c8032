import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateLimiter } from '../../../src/service/auth/rate-limiter.ts'
import { HttpError } from '../../../src/service/http-error.ts'

/** The seconds in Retry-After; 0 for an allowed request. */
const retryAfter = (sendRequest: () => void): number => {
  try {
    sendRequest()
    return 0
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    expect(error).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'throttled' } })
    return error.retryAfterSeconds!
  }
}

test('allows the maximum of requests for each key, then sends Retry-After', () => {
  const limit = createRateLimiter({ maxRequests: 2, windowMs: 60_000 })
  expect([0, 10_000, 20_000, 59_999].map((now) => retryAfter(() => limit(1, now)))).toEqual([0, 0, 40, 1])
  expect(retryAfter(() => limit(2, 20_000))).toBe(0)
  expect([60_000, 60_000, 70_000].map((now) => retryAfter(() => limit(1, now)))).toEqual([0, 10, 0])
})

test('allows a request after the clock was set back by more than the window', () => {
  const limit = createRateLimiter({ maxRequests: 1, windowMs: 60_000 })
  limit(1, 1_000_000_000)
  expect(retryAfter(() => limit(1, 5000))).toBe(0)
})

test('rejects nobody below the maximum, and allows no more than it, whatever the pauses', () => {
  const windowMs = 120
  const stepMs = windowMs / 60
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.integer({ min: 0, max: 40 })), (maxRequests, pauses) => {
      const limit = createRateLimiter({ maxRequests, windowMs })
      const allowedTimes: number[] = []
      let now = 1000
      for (const pause of pauses) {
        now += pause
        const countSince = (ms: number) => allowedTimes.filter((time) => now - time < ms).length
        const isAllowed = retryAfter(() => limit(1, now)) === 0
        if (countSince(windowMs) < maxRequests) expect(isAllowed).toBe(true)
        if (countSince(windowMs - stepMs) >= maxRequests) expect(isAllowed).toBe(false)
        if (isAllowed) allowedTimes.push(now)
      }
    }),
  )
})

test('allows a request at the time in Retry-After, and asks nobody to wait longer than the window', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1 }), (pauses) => {
      const limit = createRateLimiter({ maxRequests: 3, windowMs: 60_000 })
      let now = 1_800_000_000_123
      for (const pause of pauses) {
        now += pause
        const seconds = retryAfter(() => limit(1, now))
        expect(seconds).toBeLessThanOrEqual(60)
        now += seconds * 1000
        if (seconds > 0) expect(retryAfter(() => limit(1, now))).toBe(0)
      }
    }),
  )
})
