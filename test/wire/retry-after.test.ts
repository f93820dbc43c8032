import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_RETRY_AFTER_MS, parseRetryAfterMs } from '../../src/wire/retry-after.ts'

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1)

  it.each([
    ['3', 3_000],
    [' 120 ', 120_000],
    ['0', 0],
    ['99999999999999999999', MAX_RETRY_AFTER_MS],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ['Fri, 01 Jan 2100 00:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['-5', 0],
    ['soon', 0],
    ['', 0],
    [null, 0],
  ])('of %j means %i ms', (header, ms) => {
    expect(parseRetryAfterMs(header, now)).toBe(ms)
  })

  it('is bounded for any string', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const ms = parseRetryAfterMs(header, now)
        expect(ms >= 0 && ms <= MAX_RETRY_AFTER_MS).toBe(true)
      }),
    )
  })
})
