import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/port/clock.ts'

/** A clock that the test advances. */
export interface ManualClock extends Clock {
  /** Runs every due timer in order, and lets promises settle after each. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock: `now()` jumps to `ms`, timers keep their remaining time. */
  set(ms: number): void
  /** Number of waiting timers. */
  pending(): number
}

interface Timer {
  readonly due: number
  readonly task: () => void
}

/** Real event-loop turns after each timer, so that a chain of a few promises and a stream can settle. */
const SETTLE_TURNS = 5

/** @param startMs First value of `now()`. Default 2026-01-01T00:00:00Z. */
export const manualClock = (startMs: number = Date.UTC(2026, 0, 1)): ManualClock => {
  let elapsed = 0
  let origin = startMs
  // In insertion order, so that timers with equal due times run in this order.
  const timers = new Set<Timer>()

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < SETTLE_TURNS; turn++) await nextTurn()
  }

  const nextDue = (limit: number): Timer | undefined => {
    let next: Timer | undefined
    for (const timer of timers) if (timer.due <= limit && (next === undefined || timer.due < next.due)) next = timer
    return next
  }

  return {
    now: () => origin + elapsed,
    after: (delayMs, task) => {
      const timer = { due: elapsed + Math.max(0, delayMs), task }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    // Uses the real event loop, so that deferred code runs without an advance of the clock.
    defer: (task) => setImmediate(task),
    advance: async (ms) => {
      const target = elapsed + ms
      await settle()
      for (let timer = nextDue(target); timer !== undefined; timer = nextDue(target)) {
        timers.delete(timer)
        elapsed = Math.max(elapsed, timer.due)
        timer.task()
        await settle()
      }
      elapsed = target
    },
    set: (ms) => {
      origin = ms - elapsed
    },
    pending: () => timers.size,
  }
}
