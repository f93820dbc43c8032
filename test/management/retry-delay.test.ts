import { describe, expect, it } from 'vitest'
import { ConnectionError, ServiceError } from '../../src/management/management-error.ts'
import { retryDelayMs } from '../../src/management/retry-delay.ts'

const serviceError = (status: number, code: string, retryAfterMs = 0): ServiceError =>
  new ServiceError({ type: 'server_error', code, detail: 'It failed.', attr: null }, status, retryAfterMs)

describe('the delay before a retry', () => {
  it('doubles with each failure, and half of it is random', () => {
    const error = serviceError(500, 'internal_error')
    expect([1, 2, 3].map((failures) => retryDelayMs(error, failures, 0))).toEqual([250, 500, 1000])
    expect([1, 2, 3].map((failures) => retryDelayMs(error, failures, 1))).toEqual([500, 1000, 2000])
    expect(retryDelayMs(error, 50, 1)).toBe(60_000)
  })

  it('is at least the Retry-After, unless that is longer than a minute', () => {
    expect(retryDelayMs(serviceError(429, 'throttled', 7000), 1, 0)).toBe(7000)
    expect(retryDelayMs(serviceError(503, 'busy', 60_000), 1, 0)).toBe(60_000)
    expect(retryDelayMs(serviceError(503, 'busy', 60_001), 1, 0)).toBeNull()
  })

  it.each([
    [new ConnectionError('unreachable', ''), true],
    [new ConnectionError('timeout', ''), true],
    [new ConnectionError('not_the_service', '', { status: 502 }), true],
    [new ConnectionError('not_the_service', '', { status: 200 }), false],
    [new ConnectionError('not_the_service', '', { status: 0 }), false],
    [serviceError(429, 'throttled'), true],
    [serviceError(503, 'metadata_unavailable'), true],
    [serviceError(504, 'timeout'), false],
    [serviceError(400, 'invalid_page'), false],
    [serviceError(409, 'version_conflict'), false],
  ])('exists only for failures that may pass: $code, $status', (error, isTemporary) => {
    expect(retryDelayMs(error, 1, 0) !== null).toBe(isTemporary)
  })
})
