import type { Clock } from '../../port/clock.ts'
import { tryOr } from '../../lib/try-or.ts'
import { atOnce } from '../../lib/at-once.ts'
import type { WhenAtRest } from '../../port/when-at-rest.ts'

/** The first seconds belong to the page: it counts as fast when its largest picture is there by then (LCP, web.dev/articles/lcp). */
const START_MS = 2_500

/** A page that is busy for longer gets the task in between. */
const MAX_IDLE_WAIT_MS = 1_000

/**
 * A page rests 2.5 s after the start of the agent, as soon as it is idle, one second later at the latest. Where the browser lacks
 * `requestIdleCallback`, as Safari does, only the time counts. A worker has no page to wait for.
 */
export const createWhenAtRest = (clock: Pick<Clock, 'after'>): WhenAtRest => {
  if (!globalThis.document) return atOnce
  return (task) => {
    let isCancelled = false
    const run = (): void => {
      if (!isCancelled) task()
    }
    const cancel = clock.after(START_MS, () => {
      if (!tryOr(() => (globalThis.requestIdleCallback(run, { timeout: MAX_IDLE_WAIT_MS }), true))) run()
    })
    return () => {
      isCancelled = true
      cancel()
    }
  }
}
