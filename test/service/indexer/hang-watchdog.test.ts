import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHangWatchdog } from '../../../src/service/indexer/hang-watchdog.ts'
import type { HangWatchdog } from '../../../src/service/indexer/hang-watchdog.ts'

describe('the watchdog of the indexer process', () => {
  let hasProcess = true
  let kills: number[] = []
  let watchdog: HangWatchdog
  beforeEach(() => {
    vi.useFakeTimers()
    hasProcess = true
    kills = []
    watchdog = createHangWatchdog({ ping: () => hasProcess, kill: (seconds) => kills.push(seconds), timeoutMs: 10_000 })
  })
  afterEach(() => {
    watchdog.stop()
    vi.useRealTimers()
  })

  it('has a process killed that does not answer, and is more patient with the next one', () => {
    vi.advanceTimersByTime(9000)
    expect(kills).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(kills).toEqual([10])
    watchdog.onStart()
    vi.advanceTimersByTime(20_000)
    expect(kills).toEqual([10, 20])
  })

  it('is as strict as at first once a process has made progress', () => {
    vi.advanceTimersByTime(10_000)
    watchdog.onProgress()
    vi.advanceTimersByTime(10_000)
    expect(kills).toEqual([10, 10])
  })

  it('waits at most sixteen times as long', () => {
    vi.advanceTimersByTime((10 + 20 + 40 + 80 + 160 + 160) * 1000)
    expect(kills).toEqual([10, 20, 40, 80, 160, 160])
  })

  it('takes each message for an answer', () => {
    for (let second = 0; second < 60; second++) {
      vi.advanceTimersByTime(1000)
      watchdog.onMessage()
    }
    expect(kills).toEqual([])
  })

  it('reports a process as busy after two pings, and as hung after three', () => {
    const states = [1, 2, 3].map(() => {
      vi.advanceTimersByTime(1000)
      return [watchdog.isBusy(), watchdog.isHung(), watchdog.silenceSeconds()]
    })
    expect(states).toEqual([
      [false, false, 1],
      [true, false, 2],
      [true, true, 3],
    ])
    watchdog.onMessage()
    expect([watchdog.isBusy(), watchdog.isHung(), watchdog.silenceSeconds()]).toEqual([false, false, 0])
  })

  it('does not count while there is no process', () => {
    hasProcess = false
    vi.advanceTimersByTime(60_000)
    expect([kills, watchdog.isHung()]).toEqual([[], false])
  })
})
