import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../lib/noop.ts'
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
  /** False when the platform says that there is no network. It may be wrong, behind a VPN for example. Default: true. */
  readonly isOnline?: () => boolean
  readonly logger: Logger
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
  /**
   * Counts one captured event: a run starts at `flushAt` events, or `flushInterval` after the first. While the platform says that it is
   * offline, a run starts only `OFFLINE_DELAY_MS` after the event.
   */
  countEvent(): void
  /** Starts a run now and ignores our own back-off. A `Retry-After` of the service still applies. */
  wake(): void
  /**
   * Starts one run and returns its result.
   *
   * @param isForced Ignores our own back-off, as `wake` does.
   */
  deliver(isForced?: boolean): Promise<RunResult>
  /**
   * Delivers all queued events; calls share one flush, or one after it for events that were captured meanwhile. Never rejects. Resolves when
   * the queue is empty or nothing may be sent. Also resolves after `fetchRetryCount` failed retries, when the next attempt is more than 30 s
   * away, or after one failure while offline. The remaining events stay queued.
   *
   * @param isForced Ignores our own back-off for the first attempt. A `Retry-After` of the service still applies.
   */
  flush(isForced?: boolean): Promise<void>
  /** Starts a run after `delayMs`, unless one is due earlier. */
  schedule(delayMs: number): void
  /**
   * Waits for a request and for all that follows from its response.
   *
   * A hook, a page's `fetch` or its console may capture an event for each request, which needs the next request. Such requests, whose
   * events were all captured during the one before, wait twice as long each time. `flush()` does not wait for them.
   *
   * @param isLast The request has all events of the queue.
   * @param request Its result ends the run. Undefined: the events have left the queue.
   */
  track(isLast: boolean, request: () => Promise<RunResult | undefined>): Promise<RunResult | undefined>
  /** Whether events were counted since the last call of this function. */
  hasNewEvents(): boolean
  /** Cancels the timer and resolves a waiting `flush()`. No further run is scheduled. */
  stop(): void
  /** Whether the current run may continue; false when it must end at once. */
  canContinue(): boolean
}

/** Time between two runs while another tab delivers and `flush()` waits for it. */
const BUSY_RETRY_MS = 200

/** First wait for a request whose events were captured during requests, unless `flushInterval` is longer. */
const MIN_ANSWER_WAIT_MS = 1_000

/** As many events are not those of a hook, and do not wait. */
const MIN_ANSWERS = 10

/** `flush()` resolves when the next attempt is farther away than this. */
const MAX_FLUSH_WAIT_MS = 30_000

/** How long events wait that are captured while the platform says that it is offline. */
export const OFFLINE_DELAY_MS = 30_000

/** @param run Delivers the queue once; `isForced` ignores the back-off. The scheduler never starts two runs at a time. */
export const createFlushScheduler = (
  options: FlushSchedulerOptions,
  { clock, canDeliver, isOnline, logger }: FlushSchedulerPorts,
  run: (isForced?: boolean) => Promise<RunResult>,
): FlushScheduler => {
  let newEventCount = 0
  let isStopped = false
  let inFlightCount = 0
  // Whether the queue has events that were captured while no request was in flight.
  let hasCalls = true
  // Whether the request in flight has no such events.
  let isAnswer = false
  // Requests in a row that had none, and brought the next one.
  let answerCount = 0
  // The next run ignores our own back-off.
  let isNextForced: boolean | undefined
  let currentRun: Promise<RunResult> | undefined
  let currentFlush: Promise<void> | undefined
  let nextFlush: Promise<void> | undefined
  // Whether events were captured since the current flush has begun.
  let isFlushOld = false
  let resultListeners: ((result: RunResult) => void)[] = []
  let dueAt = Infinity
  let cancelTimer = noop

  const isOffline = (): boolean => isOnline?.() === false

  const canContinue = (): boolean => !isStopped && canDeliver()

  const schedule = (delayMs: number): void => {
    const newDueAt = clock.now() + delayMs
    if (isStopped || newDueAt >= dueAt) return
    cancelTimer()
    dueAt = newDueAt
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
    if (!currentRun) {
      currentRun = run(isNextForced)
        .catch((error: unknown) => {
          logger.warn('delivery failed:', error)
          return { waitMs: MAX_BACKOFF_MS }
        })
        .then((result) => {
          currentRun = undefined
          schedule(result.waitMs)
          publishResult(result)
          return result
        })
      isNextForced = false
    }
    return currentRun
  }

  /** Waits for the current run, then starts or joins the next one: the current run may fail although the network is back by now. */
  const deliver = async (isForced?: boolean): Promise<RunResult> => {
    isNextForced ||= isForced
    if (currentRun) await currentRun
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
      else if (result.waitMs > MAX_FLUSH_WAIT_MS || retries-- <= 0 || isOffline()) return
    }
  }

  const startFlush = (isForced?: boolean): Promise<void> => {
    isFlushOld = false
    currentFlush = flush(isForced).finally(() => {
      currentFlush = undefined
    })
    return currentFlush
  }

  return {
    countEvent() {
      hasCalls ||= !inFlightCount
      isFlushOld = true
      newEventCount++
      // The end of the request decides.
      if (inFlightCount && isAnswer) return
      // A burst of any size starts only one run here. If that run does nothing, the interval starts another run.
      const isFull = newEventCount === options.flushAt
      // Most events ask nothing of the platform, because an earlier one has set the timer.
      if (!isFull && clock.now() + options.flushInterval >= dueAt) return
      if (isOffline()) schedule(OFFLINE_DELAY_MS)
      else if (isFull) clock.defer(() => void joinOrStart())
      else schedule(options.flushInterval)
    },
    async track(isLast, request) {
      const startedAt = clock.now()
      isAnswer = !hasCalls
      inFlightCount++
      try {
        const result = await request()
        answerCount = isAnswer && isLast && !result && newEventCount ? answerCount + 1 : 0
        if (result || !isLast) return result
        hasCalls = false
        if (!answerCount || newEventCount >= Math.max(options.flushAt, MIN_ANSWERS)) return undefined
        newEventCount = 0
        const waitMs = Math.max(MIN_ANSWER_WAIT_MS, options.flushInterval) * 2 ** (answerCount - 1)
        schedule(Math.max(0, startedAt + Math.min(MAX_BACKOFF_MS, waitMs) - clock.now()))
        return DONE
      } finally {
        inFlightCount--
      }
    },
    wake: () => void deliver(true),
    deliver,
    flush(isForced) {
      if (!currentFlush) return startFlush(isForced)
      if (!isFlushOld) return currentFlush
      nextFlush ??= currentFlush.then(() => {
        nextFlush = undefined
        return startFlush(isForced)
      })
      return nextFlush
    },
    schedule,
    hasNewEvents() {
      const hasNew = newEventCount > 0
      newEventCount = 0
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
