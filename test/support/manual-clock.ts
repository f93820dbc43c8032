import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/port/clock.ts'

/** A clock that the test moves. */
export interface ManualClock extends Clock {
  /** Lets time pass: runs every timer that falls due, in order, and lets promises settle after each. */
  advance(ms: number): Promise<void>
  /** The user turns the clock: `now()` jumps to `ms`, timers keep their remaining time. */
  set(ms: number): void
  /** How many timers are armed. */
  pending(): number
}

interface Timer {
  readonly due: number
  readonly task: () => void
}

/** Turns of the real event loop after each timer: enough for a chain of a few promises and a stream to settle. */
const SETTLE_TURNS = 5

/** @param startMs What `now()` says at first; default 2026-01-01T00:00:00Z. */
export const manualClock = (startMs: number = Date.UTC(2026, 0, 1)): ManualClock => {
  let elapsed = 0
  let origin = startMs
  // Timers are kept in the order of their arming, so that equal due times keep it.
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
    // The end of the running turn is real: code that waits for it goes on without the test moving the clock.
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
