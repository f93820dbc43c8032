import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIdleReplacement } from '../../../src/service/indexer/idle-replacement.ts'

describe('the replacement of an idle indexer', () => {
  let replacements = 0
  let isIdle = true
  let queryCount = 0
  const create = () =>
    createIdleReplacement({
      maxMemoryMb: 256,
      delayMs: 10_000,
      now: () => performance.now(),
      hasQueries: () => queryCount > 0,
      replace() {
        if (isIdle) replacements += 1
        return isIdle
      },
    })
  beforeEach(() => {
    vi.useFakeTimers()
    replacements = 0
    isIdle = true
    queryCount = 0
  })
  afterEach(() => vi.useRealTimers())

  it('comes ten seconds after the work, if the process has grown', () => {
    const replacement = create()
    replacement.onIdle(256)
    vi.advanceTimersByTime(60_000)
    expect(replacements).toBe(0)
    replacement.onIdle(257)
    vi.advanceTimersByTime(9_999)
    expect(replacements).toBe(0)
    vi.advanceTimersByTime(1)
    expect(replacements).toBe(1)
  })

  it('waits for the next idle time if the process has work', () => {
    const replacement = create()
    replacement.onIdle(800)
    isIdle = false
    vi.advanceTimersByTime(10_000)
    isIdle = true
    vi.advanceTimersByTime(60_000)
    expect(replacements).toBe(0)
    replacement.onIdle(800)
    vi.advanceTimersByTime(10_000)
    expect(replacements).toBe(1)
  })

  it('comes ten seconds after the last query', () => {
    const replacement = create()
    replacement.onIdle(800)
    for (let second = 0; second < 30; second++) {
      replacement.onQuery()
      vi.advanceTimersByTime(1000)
    }
    vi.advanceTimersByTime(8_999)
    expect(replacements).toBe(0)
    vi.advanceTimersByTime(1)
    expect(replacements).toBe(1)
  })

  it('waits for a query that still runs', () => {
    const replacement = create()
    replacement.onIdle(800)
    queryCount = 1
    vi.advanceTimersByTime(60_000)
    expect(replacements).toBe(0)
    queryCount = 0
    vi.advanceTimersByTime(10_000)
    expect(replacements).toBe(1)
  })

  it('comes once in ten minutes, though the process always needs much memory', () => {
    const replacement = create()
    for (let second = 0; second <= 1200; second++) {
      replacement.onIdle(800)
      vi.advanceTimersByTime(1000)
    }
    expect(replacements).toBe(2)
  })

  it('does not come after a stop', () => {
    const replacement = create()
    replacement.onIdle(800)
    replacement.stop()
    vi.advanceTimersByTime(60_000)
    expect(replacements).toBe(0)
  })
})
