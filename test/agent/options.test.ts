import { describe, expect, it } from 'vitest'
import { applyDefaults, parseHost } from '../../src/agent/options.ts'
import type { Options, Settings } from '../../src/agent/options.ts'

describe('parseHost', () => {
  it.each([
    ['https://waymark.test', 'https://waymark.test'],
    ['https://waymark.test/', 'https://waymark.test'],
    [' https://waymark.test// ', 'https://waymark.test'],
    ['HTTP://localhost:8000', 'HTTP://localhost:8000'],
    ['https://waymark.test/under/a/path/', 'https://waymark.test/under/a/path'],
    ['/insight/', '/insight'],
  ])('parses %j as %j', (host, expected) => {
    expect(parseHost(host)).toBe(expected)
  })

  it.each(['', '  ', 'waymark.test', 'ftp://waymark.test', 'https://', 'null', '/', '//', 'https://a b'])(
    'returns undefined for %j',
    (host) => {
      expect(parseHost(host)).toBeUndefined()
    },
  )

  it('returns undefined for undefined', () => {
    expect(parseHost(undefined)).toBeUndefined()
  })
})

describe('applyDefaults', () => {
  const apply = (options: Options, warnings: string[] = []): Settings =>
    applyDefaults(options, (message) => warnings.push(message))

  it('has the documented defaults', () => {
    expect(apply({})).toEqual({
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

  it('keeps values within the limits, and raises values below them', () => {
    expect(
      apply({ flushAt: 0, flushInterval: 1, maxBatchSize: -1, fetchRetryDelay: 0, requestTimeout: 0 }),
    ).toMatchObject({
      flushAt: 1,
      flushInterval: 100,
      maxBatchSize: 1,
      fetchRetryDelay: 100,
      requestTimeout: 100,
    })
    expect(apply({ flushAt: 20, maxQueueSize: 5 }).maxQueueSize).toBe(20)
    expect(apply({ fetchRetryCount: 0 }).fetchRetryCount).toBe(0)
  })

  it('limits the retries of a flag request to ten', () => {
    expect(apply({ featureFlagsRequestMaxRetries: 1_000 }).featureFlagsRequestMaxRetries).toBe(10)
    expect(apply({ featureFlagsRequestMaxRetries: 0 }).featureFlagsRequestMaxRetries).toBe(0)
  })

  it('limits flagsIntervalMs to 0 (never) or at least a second', () => {
    expect([0, -1, 1, 2_000].map((flagsIntervalMs) => apply({ flagsIntervalMs }).flagsIntervalMs)).toEqual([
      0, 0, 1_000, 2_000,
    ])
    const invalidOptions = { flagsIntervalMs: null, featureFlagsRequestMaxRetries: null } as object
    expect(apply(invalidOptions)).toEqual(apply({}))
    expect(apply({ featureFlagsRequestMaxRetries: 99 }).featureFlagsRequestMaxRetries).toBe(10)
  })

  it('treats a value that is not a number as missing', () => {
    const invalidOptions = { flushAt: '5', flushInterval: NaN, maxQueueSize: null, requestTimeout: {} } as object
    expect(apply(invalidOptions)).toEqual(apply({}))
  })

  it('warns when it raises maxQueueSize to flushAt', () => {
    const warnings: string[] = []
    apply({ flushAt: 20, maxQueueSize: 5 }, warnings)
    expect(warnings).toEqual(['maxQueueSize: 5 replaced by 20'])
    apply({ flushAt: 20, maxQueueSize: 20 }, warnings)
    apply({ flushAt: 20 }, warnings)
    expect(warnings).toHaveLength(1)
  })

  it.each([
    [1, 60],
    [60, 60],
    [600, 600],
    [36_000, 36_000],
    [99_999, 36_000],
    ['many', 1_800],
  ])('limits sessionIdleTimeoutSeconds %j to %i', (value, seconds) => {
    expect(apply({ sessionIdleTimeoutSeconds: value as number }).sessionIdleTimeoutSeconds).toBe(seconds)
  })
})
