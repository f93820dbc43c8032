import type { Clock } from '../port/clock.ts'
import { BACKOFF_MAX_MS } from './backoff.ts'

/** When deliveries begin, and how long `flush()` waits for them. */
export interface RoundsOptions {
  readonly flushAt: number
  readonly flushInterval: number
  readonly fetchRetryCount: number
}

export interface RoundsPorts {
  readonly clock: Clock
  /** False while nothing may leave. */
  readonly mayDeliver: () => boolean
  readonly warn: (message: string) => void
}

/** How a pass over the queue ended. */
export interface PassEnd {
  /** After how many milliseconds the next one makes sense; Infinity when it takes another reason than time. */
  readonly waitMs: number
  /** Somebody else delivers. */
  readonly isBusy?: boolean
}

/** Nothing waits any more, or nothing may leave. */
export const DONE: PassEnd = { waitMs: Infinity }

/** The rhythm of delivery. */
export interface Rounds {
  /** Counts one captured event: delivers at `flushAt` of them, or `flushInterval` after the first. */
  added(): void
  /** Delivers now, back-off or not, unless a `Retry-After` runs. */
  wake(): void
  /** The same, once, and answers how it ended; unless `isForced`, the back-off is respected. */
  deliver(isForced?: boolean): Promise<PassEnd>
  /**
   * Delivers all that waits; callers at the same time join. Resolves, never rejects, when nothing waits any more, when nothing may leave,
   * when `fetchRetryCount` retries have failed, or when the next try is more than 30 s away (a long back-off or `Retry-After`); what is left
   * stays queued and goes on with the back-off.
   *
   * @param isForced Try at once although a back-off of our own runs; a `Retry-After` is respected all the same.
   */
  flush(isForced?: boolean): Promise<void>
  /** Begins a pass after so many milliseconds, unless one is due earlier. */
  schedule(delayMs: number): void
  /** Whether events were added since the last time that this was asked. */
  isMore(): boolean
  /** Ends all timers and every waiting `flush()`; no further pass is scheduled. */
  stop(): void
  /** False when a pass shall end where it stands. */
  mayGoOn(): boolean
}

/** While somebody else delivers, the next look comes after so many milliseconds when `flush()` waits for it. */
const BUSY_MS = 200

/** `flush()` does not wait for a try that is farther away. */
const FLUSH_WAIT_MAX_MS = 30_000

/** @param pass Delivers once, back-off or not (`isForced`). One runs at a time. */
export const createRounds = (
  options: RoundsOptions,
  { clock, mayDeliver, warn }: RoundsPorts,
  pass: (isForced?: boolean) => Promise<PassEnd>,
): Rounds => {
  let added = 0
  let isStopped = false
  // The next pass does not wait for our own back-off.
  let isUrgent: boolean | undefined
  let running: Promise<PassEnd> | undefined
  let flushing: Promise<void> | undefined
  let waiting: ((end: PassEnd) => void)[] = []
  let dueAt = Infinity
  let cancelTimer = (): void => undefined

  const mayGoOn = (): boolean => !isStopped && mayDeliver()

  const schedule = (delayMs: number): void => {
    const at = clock.now() + delayMs
    if (isStopped || at >= dueAt) return
    cancelTimer()
    dueAt = at
    cancelTimer = clock.after(delayMs, () => {
      dueAt = Infinity
      void deliver()
    })
  }

  const tell = (end: PassEnd): void => {
    for (const resolve of waiting.splice(0)) resolve(end)
  }

  /** One pass; a call during a pass joins it. */
  const deliver = (): Promise<PassEnd> => {
    if (!running) {
      running = pass(isUrgent)
        .catch((error: unknown) => {
          warn(`delivery failed: ${String(error)}`)
          return { waitMs: BACKOFF_MAX_MS }
        })
        .then((end) => {
          running = undefined
          schedule(end.waitMs)
          tell(end)
          return end
        })
      isUrgent = false
    }
    return running
  }

  /**
   * A pass that is under way may be failing just now, for a network that has come back since: the next one counts, and all who have waited for
   * it join.
   */
  const deliverAfresh = async (isForced?: boolean): Promise<PassEnd> => {
    isUrgent ||= isForced
    if (running) await running
    return deliver()
  }

  const flush = async (isForced?: boolean): Promise<void> => {
    let end = await deliverAfresh(isForced)
    for (let retries = options.fetchRetryCount; ; end = await new Promise((resolve) => waiting.push(resolve))) {
      if (end.isBusy) schedule(BUSY_MS)
      else if (end.waitMs > FLUSH_WAIT_MAX_MS || retries-- <= 0) return
    }
  }

  return {
    added() {
      // Once, however large a burst is; should that pass do nothing, the interval brings another one.
      if (++added === options.flushAt) clock.defer(() => void deliver())
      else schedule(options.flushInterval)
    },
    wake: () => void deliverAfresh(true),
    deliver: deliverAfresh,
    flush(isForced) {
      flushing ??= flush(isForced).finally(() => {
        flushing = undefined
      })
      return flushing
    },
    schedule,
    isMore() {
      const isMore = added > 0
      added = 0
      return isMore
    },
    stop() {
      isStopped = true
      cancelTimer()
      tell(DONE)
    },
    mayGoOn,
  }
}
