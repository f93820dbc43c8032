import type { Clock } from '../../port/clock.ts'
import { tryOr } from '../../lib/try-or.ts'
import { unpatched } from './unpatched.ts'

/** A longer delay overflows the timer's 32 bits, and the timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Any value: `scheduler` is also the name of calendars and of other objects of pages. */
type Global = { readonly scheduler?: { readonly postTask?: unknown } }

/**
 * The platform's clock and timers. Looks every global up at each call, so that a page or a test may replace it; as a property, because a
 * page may have a constant of the same name.
 */
export const createClock = (): Clock => {
  const after: Clock['after'] = (delayMs, task) => {
    const timer: unknown = unpatched('setTimeout')(task, Math.min(delayMs, MAX_TIMER_MS))
    // Node's timers keep the process alive by default; a browser's timers are numbers.
    ;(timer as { unref?: () => void }).unref?.()
    return () => unpatched('clearTimeout')(timer as number)
  }
  return {
    now: () => globalThis.Date.now(),
    after,
    defer(task) {
      // Unlike timers, a posted task is neither clamped to 4 ms nor slowed down in hidden pages. It costs half as much as a message.
      const scheduler = (globalThis as Global).scheduler as Scheduler
      if (typeof scheduler?.postTask !== 'function' || !tryOr(() => (void scheduler.postTask(task), true)))
        after(0, task)
    },
  }
}
