import { describe, expect, it } from 'vitest'
import { createRetryTime } from '../../src/capture/retry-time.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('the next attempt', () => {
  it('is due at once before any failure, and after a success', () => {
    const retryTime = createRetryTime(createMemoryKeyValue(), 'n')
    expect([retryTime.remainingMs(NOW), retryTime.failures()]).toEqual([0, 0])
    retryTime.recordFailure(NOW, 3_000, 0)
    retryTime.recordSuccess()
    expect([retryTime.remainingMs(NOW), retryTime.failures()]).toEqual([0, 0])
  })

  it('waits for back-off and Retry-After; a forced attempt only for Retry-After', () => {
    const retryTime = createRetryTime(createMemoryKeyValue(), 'n')
    retryTime.recordFailure(NOW, 3_000, 2_000)
    expect([retryTime.remainingMs(NOW + 500), retryTime.remainingMs(NOW + 500, true)]).toEqual([2_500, 1_500])
    retryTime.recordFailure(NOW, 3_000, 40_000)
    expect([retryTime.remainingMs(NOW), retryTime.remainingMs(NOW, true), retryTime.failures()]).toEqual([
      40_000, 40_000, 2,
    ])
  })

  it('is shared by all tabs of the site', () => {
    const storage = createMemoryKeyValue()
    createRetryTime(storage, 'n').recordFailure(NOW, 3_000, 0)
    expect(createRetryTime(storage, 'n').remainingMs(NOW)).toBe(3_000)
  })

  it('is due when the clock was set back', () => {
    const retryTime = createRetryTime(createMemoryKeyValue(), 'n')
    retryTime.recordFailure(NOW, 300_000, 1_800_000)
    expect(retryTime.remainingMs(NOW - 3_600_000)).toBe(0)
  })

  it.each([['{'], ['null'], ['{}'], ['7'], ['[]'], ['["a"]']])('is due when the record is corrupt: %s', (record) => {
    const storage = createMemoryKeyValue()
    storage.set('n', record)
    const retryTime = createRetryTime(storage, 'n')
    expect([retryTime.remainingMs(NOW), retryTime.failures()]).toEqual([0, 0])
    retryTime.recordFailure(NOW, 3_000, 0)
    expect([retryTime.remainingMs(NOW), retryTime.failures()]).toEqual([3_000, 1])
  })
})
