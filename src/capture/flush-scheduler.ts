import type { Clock } from '../port/clock.ts'
import { MAX_BACKOFF_MS } from './backoff.ts'

/** When delivery runs start, and how long `flush()` waits for them. */
export interface FlushSchedulerOptions {
  readonly flushAt: number
  readonly flushInterval: number
  readonly fetchRetryCount: number
}

export interface FlushSchedulerPorts {
  readonly clock: Clock
  /** False while nothing may be sent. */
  readonly canDeliver: () => boolean
  readonly warn: (message: string) => void
}

/** How a delivery run ended. */
export interface RunResult {
  /** Milliseconds until the next run is useful; Infinity when time alone changes nothing. */
  readonly waitMs: number
  /** Another tab holds the lock and delivers. */
  readonly isBusy?: boolean
}

/** The queue is empty, or nothing may be sent. */
export const DONE: RunResult = { waitMs: Infinity }

/** Decides when the queue is delivered. */
export interface FlushScheduler {
  /** Counts one captured event: a run starts at `flushAt` events, or `flushInterval` after the first. */
  countEvent(): void
  /** Starts a run now and ignores the back-off. A `Retry-After` of the service still counts. */
  wake(): void
  /**
   * Starts one run and returns its result.
   *
   * @param isForced Ignores our own back-off, as `wake` does.
   */
  deliver(isForced?: boolean): Promise<RunResult>
  /**
   * Delivers all queued events; concurrent calls share one flush. Never rejects. Resolves when the queue is empty or nothing may be sent.
   * Also resolves after `fetchRetryCount` failed retries, or when the next attempt is more than 30 s away. The remaining events stay
   * queued.
   *
   * @param isForced Ignores our own back-off for the first attempt. A `Retry-After` of the service still counts.
   */
  flush(isForced?: boolean): Promise<void>
  /** Starts a run after `delayMs`, unless one is due earlier. */
  schedule(delayMs: number): void
  /** Whether events were counted since the last call of this function. */
  hasNewEvents(): boolean
  /** Cancels the timer and resolves a waiting `flush()`. No further run is scheduled. */
  stop(): void
  /** False when the current run must end at once. */
  canContinue(): boolean
}

/** Time between two runs while another tab delivers and `flush()` waits for it. */
const BUSY_RETRY_MS = 200

/** `flush()` resolves when the next attempt is farther away than this. */
const MAX_FLUSH_WAIT_MS = 30_000

/** @param run Delivers the queue once; `isForced` ignores the back-off. The scheduler never starts two runs at a time. */
export const createFlushScheduler = (
  options: FlushSchedulerOptions,
  { clock, canDeliver, warn }: FlushSchedulerPorts,
  run: (isForced?: boolean) => Promise<RunResult>,
): FlushScheduler => {
  let newEvents = 0
  let isStopped = false
  // The next run ignores our own back-off.
  let isNextForced: boolean | undefined
  let running: Promise<RunResult> | undefined
  let flushing: Promise<void> | undefined
  let resultListeners: ((result: RunResult) => void)[] = []
  let dueAt = Infinity
  let cancelTimer = (): void => undefined

  const canContinue = (): boolean => !isStopped && canDeliver()

  const schedule = (delayMs: number): void => {
    const at = clock.now() + delayMs
    if (isStopped || at >= dueAt) return
    cancelTimer()
    dueAt = at
    cancelTimer = clock.after(delayMs, () => {
      dueAt = Infinity
      void joinOrStart()
    })
  }

  const publishResult = (result: RunResult): void => {
    for (const listener of resultListeners.splice(0)) listener(result)
  }

  /** Joins the current run, or starts one. */
  const joinOrStart = (): Promise<RunResult> => {
    if (!running) {
      running = run(isNextForced)
        .catch((error: unknown) => {
          warn(`delivery failed: ${String(error)}`)
          return { waitMs: MAX_BACKOFF_MS }
        })
        .then((result) => {
          running = undefined
          schedule(result.waitMs)
          publishResult(result)
          return result
        })
      isNextForced = false
    }
    return running
  }

  /** Waits for the current run and joins the next one. The current one may be failing for a network that has since returned. */
  const deliver = async (isForced?: boolean): Promise<RunResult> => {
    isNextForced ||= isForced
    if (running) await running
    return joinOrStart()
  }

  const flush = async (isForced?: boolean): Promise<void> => {
    let result = await deliver(isForced)
    for (
      let retries = options.fetchRetryCount;
      ;
      result = await new Promise((resolve) => resultListeners.push(resolve))
    ) {
      if (result.isBusy) schedule(BUSY_RETRY_MS)
      else if (result.waitMs > MAX_FLUSH_WAIT_MS || retries-- <= 0) return
    }
  }

  return {
    countEvent() {
      // A burst of any size starts one run here. If that run does nothing, the interval starts another.
      if (++newEvents === options.flushAt) clock.defer(() => void joinOrStart())
      else schedule(options.flushInterval)
    },
    wake: () => void deliver(true),
    deliver,
    flush(isForced) {
      flushing ??= flush(isForced).finally(() => {
        flushing = undefined
      })
      return flushing
    },
    schedule,
    hasNewEvents() {
      const hasNew = newEvents > 0
      newEvents = 0
      return hasNew
    },
    stop() {
      isStopped = true
      cancelTimer()
      publishResult(DONE)
    },
    canContinue,
  }
}
