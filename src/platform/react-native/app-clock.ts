import type { Clock } from '../../port/clock.ts'
import { createClock } from '../web/clock.ts'

/** Not in the types of browsers. */
declare const setImmediate: ((task: () => void) => unknown) | undefined

/**
 * The clock of an app. `defer` uses `setImmediate` where the platform has it: Android stops the timers of an app in the background, and
 * the last events must be written even then.
 */
export const createAppClock = (clock: Clock = createClock()): Clock => ({
  ...clock,
  defer(task) {
    if (typeof setImmediate === 'undefined') clock.defer(task)
    else setImmediate(task)
  },
})
