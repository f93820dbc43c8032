import { describe, expect, it } from 'vitest'
import { hostOf, settle as settleOptions } from '../../src/agent/options.ts'
import type { Options, Settings } from '../../src/agent/options.ts'

describe('the host', () => {
  it.each([
    ['https://waymark.test', 'https://waymark.test'],
    ['https://waymark.test/', 'https://waymark.test'],
    [' https://waymark.test// ', 'https://waymark.test'],
    ['HTTP://localhost:8000', 'HTTP://localhost:8000'],
    ['https://waymark.test/under/a/path/', 'https://waymark.test/under/a/path'],
    ['/insight/', '/insight'],
  ])('%j is %j', (host, expected) => {
    expect(hostOf(host)).toBe(expected)
  })

  it.each(['', '  ', 'waymark.test', 'ftp://waymark.test', 'https://', 'null', '/', '//', 'https://a b'])(
    '%j is none',
    (host) => {
      expect(hostOf(host)).toBeUndefined()
    },
  )

  it('is none where there is nothing to take it from', () => {
    expect(hostOf(undefined)).toBeUndefined()
  })
})

describe('the settings', () => {
  const settle = (options: Options, warnings: string[] = []): Settings =>
    settleOptions(options, (message) => warnings.push(message))

  it('have the documented defaults', () => {
    expect(settle({})).toEqual({
      flushAt: 100,
      flushInterval: 3_000,
      maxBatchSize: 100,
      maxQueueSize: 10_000,
      fetchRetryCount: 3,
      fetchRetryDelay: 3_000,
      requestTimeout: 10_000,
      sessionIdleTimeoutSeconds: 1_800,
      flagsIntervalMs: 300_000,
      featureFlagsRequestMaxRetries: 1,
    })
  })

  it('keep what lies within the bounds, and raise what lies below', () => {
    expect(
      settle({ flushAt: 0, flushInterval: 1, maxBatchSize: -1, fetchRetryDelay: 0, requestTimeout: 0 }),
    ).toMatchObject({
      flushAt: 1,
      flushInterval: 100,
      maxBatchSize: 1,
      fetchRetryDelay: 100,
      requestTimeout: 100,
    })
    expect(settle({ flushAt: 20, maxQueueSize: 5 }).maxQueueSize).toBe(20)
    expect(settle({ fetchRetryCount: 0 }).fetchRetryCount).toBe(0)
  })

  it('let a flag request be repeated ten times at most', () => {
    expect(settle({ featureFlagsRequestMaxRetries: 1_000 }).featureFlagsRequestMaxRetries).toBe(10)
    expect(settle({ featureFlagsRequestMaxRetries: 0 }).featureFlagsRequestMaxRetries).toBe(0)
  })

  it('load flags never by themselves, or not more often than once a second', () => {
    expect([0, -1, 1, 2_000].map((flagsIntervalMs) => settle({ flagsIntervalMs }).flagsIntervalMs)).toEqual([
      0, 0, 1_000, 2_000,
    ])
    const wrong = { flagsIntervalMs: null, featureFlagsRequestMaxRetries: null } as object
    expect(settle(wrong)).toEqual(settle({}))
    expect(settle({ featureFlagsRequestMaxRetries: 99 }).featureFlagsRequestMaxRetries).toBe(10)
  })

  it('take what is no number as not given', () => {
    const wrong = { flushAt: '5', flushInterval: NaN, maxQueueSize: null, requestTimeout: {} } as object
    expect(settle(wrong)).toEqual(settle({}))
  })

  it('tell that maxQueueSize was raised to flushAt', () => {
    const warnings: string[] = []
    settle({ flushAt: 20, maxQueueSize: 5 }, warnings)
    expect(warnings).toEqual(['maxQueueSize raised to flushAt (20)'])
    settle({ flushAt: 20, maxQueueSize: 20 }, warnings)
    settle({ flushAt: 20 }, warnings)
    expect(warnings).toHaveLength(1)
  })

  it.each([
    [1, 60],
    [60, 60],
    [600, 600],
    [36_000, 36_000],
    [99_999, 36_000],
    ['many', 1_800],
  ])('let a session be idle for %j seconds as %i', (given, seconds) => {
    expect(settle({ sessionIdleTimeoutSeconds: given as number }).sessionIdleTimeoutSeconds).toBe(seconds)
  })
})
