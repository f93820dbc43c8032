import { describe, expect, it } from 'vitest'
import { createNextTry } from '../../src/capture/next-try.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('the next try', () => {
  it('is due at once before any failure, and after a success', () => {
    const next = createNextTry(memoryKeyValue(), 'n')
    expect([next.remainingMs(NOW), next.failures()]).toEqual([0, 0])
    next.failed(NOW, 3_000, 0)
    next.succeeded()
    expect([next.remainingMs(NOW), next.failures()]).toEqual([0, 0])
  })

  it('waits out the longer of both waits, and when forced only what the service asked for', () => {
    const next = createNextTry(memoryKeyValue(), 'n')
    next.failed(NOW, 3_000, 2_000)
    expect([next.remainingMs(NOW + 500), next.remainingMs(NOW + 500, true)]).toEqual([2_500, 1_500])
    next.failed(NOW, 3_000, 40_000)
    expect([next.remainingMs(NOW), next.remainingMs(NOW, true), next.failures()]).toEqual([40_000, 40_000, 2])
  })

  it('is shared by all tabs of the site', () => {
    const storage = memoryKeyValue()
    createNextTry(storage, 'n').failed(NOW, 3_000, 0)
    expect(createNextTry(storage, 'n').remainingMs(NOW)).toBe(3_000)
  })

  it('is due when it lies further ahead than any wait can: the clock was set back', () => {
    const next = createNextTry(memoryKeyValue(), 'n')
    next.failed(NOW, 300_000, 1_800_000)
    expect(next.remainingMs(NOW - 3_600_000)).toBe(0)
  })

  it.each([['{'], ['null'], ['{}'], ['7'], ['[]'], ['["a"]']])('is due when the record is corrupt: %s', (text) => {
    const storage = memoryKeyValue()
    storage.set('n', text)
    const next = createNextTry(storage, 'n')
    expect([next.remainingMs(NOW), next.failures()]).toEqual([0, 0])
    next.failed(NOW, 3_000, 0)
    expect([next.remainingMs(NOW), next.failures()]).toEqual([3_000, 1])
  })
})
