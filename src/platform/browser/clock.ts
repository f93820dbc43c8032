import type { Clock } from '../../port/clock.ts'

/** Longer waits overflow the timer's 32 bits and would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The platform's time. Every global is looked up at the call, so that a page or a test may replace it. */
export const browserClock = (): Clock => {
  const after: Clock['after'] = (delayMs, task) => {
    const timer: unknown = setTimeout(task, Math.min(delayMs, LONGEST_TIMER_MS))
    // Node's timers keep the process alive unless told otherwise; a browser's are numbers.
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer as number)
  }
  return {
    now: () => Date.now(),
    after,
    defer(task) {
      // A posted task is neither clamped to 4 ms nor slowed down in hidden pages, as timers are, and costs half of what a message does.
      if (globalThis.scheduler) void scheduler.postTask(task)
      else after(0, task)
    },
  }
}
