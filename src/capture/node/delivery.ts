import type { Compressor } from '../../port/compressor.ts'
import type { EventBatch, EventLog } from '../../port/event-log.ts'
import { noop } from '../../lib/noop.ts'
import { pause } from '../../lib/pause.ts'
import type { Send, SendResponse } from '../../port/send.ts'
import { MAX_BATCH_LENGTH } from '../../wire/limits.ts'
import { backoffMs } from '../backoff.ts'
import { classifyResponse } from '../classify-response.ts'
import { deliverQueue, findObstacle } from '../deliver-queue.ts'
import { createFlushScheduler, DONE } from '../flush-scheduler.ts'
import type { FlushScheduler, FlushSchedulerOptions, FlushSchedulerPorts, RunResult } from '../flush-scheduler.ts'
import { postEvents } from '../post-events.ts'
import type { PostOptions, PostPorts } from '../post-events.ts'
import { createResponseHandler } from '../response-handler.ts'
import type { DeliveryStatus, ResponseHandlerOptions, ResponseHandlerPorts } from '../response-handler.ts'
import { encodeBody } from './encode-body.ts'

export interface NodeDeliveryOptions extends FlushSchedulerOptions, ResponseHandlerOptions, PostOptions {
  readonly disableCompression?: boolean | undefined
}

/** `canDeliver` returns false while the agent is opted out. */
export interface NodeDeliveryPorts extends FlushSchedulerPorts, ResponseHandlerPorts, PostPorts {
  readonly log: EventLog
  readonly send: Send
  readonly compressor: Compressor
  /** Called when events have left the log: delivered or dropped. */
  readonly onProgress: () => void
}

export interface NodeDelivery extends Pick<FlushScheduler, 'countEvent' | 'wake' | 'flush' | 'stop'> {
  status(): DeliveryStatus
  /**
   * Sends one event in its own request, before all queued ones. Returns false if the event must be queued: during a back-off or a
   * `Retry-After`, while opted out, or after a retryable failure.
   */
  sendNow(json: string): Promise<boolean>
  /**
   * Delivers the whole log. The first attempt starts at once; the back-off after it starts again from its first delay. Resolves when the
   * log is empty, nothing may be sent, a `Retry-After` passes the deadline, or on `abort()`.
   *
   * @param deadline Returns the deadline in ms since 1970; called after each attempt.
   */
  drain(deadline: () => number): Promise<void>
  /** Aborts the requests in flight and every `drain()`. Queued events stay, and their back-off continues. */
  abort(): void
}

/** Delivers the event log of one process. A retryable failure never removes an event. */
export const createNodeDelivery = (options: NodeDeliveryOptions, ports: NodeDeliveryPorts): NodeDelivery => {
  const { clock, log, retryTime } = ports
  const scheduler = createFlushScheduler(
    options,
    ports,
    async (isForced) =>
      findObstacle(scheduler, retryTime, clock, isForced) ?? deliverQueue(scheduler, readOldest, sendBatch),
  )
  const { batchSize, handleResponse, status } = createResponseHandler(options, ports)
  // Abort functions of the requests in flight and of pauses.
  const aborts = new Set<() => void>()
  let activeFlushCount = 0
  let abortCount = 0

  const readOldest = (): Promise<EventBatch | undefined> => log.readOldest(batchSize(), MAX_BATCH_LENGTH)

  const sendBatch = async (batch: EventBatch): Promise<RunResult | undefined> => {
    const startedAt = clock.now()
    const queuedCount = log.size()
    let removedCount = 0
    const remove = (): void => {
      removedCount = batch.events.length
      batch.remove()
      ports.onProgress()
    }
    const result = await scheduler.track(batch.events.length >= queuedCount, async () =>
      handleUnlessStopped(await post(batch.events), { ...batch, remove }),
    )
    // Events captured during the request wait for `flushAt` or `flushInterval`: otherwise slow traffic would make many small requests.
    if (!result && removedCount >= queuedCount && log.size() < options.flushAt && !activeFlushCount)
      return log.size() ? { waitMs: Math.max(0, startedAt + options.flushInterval - clock.now()) } : DONE
    return result
  }

  const post = async (events: readonly string[]): Promise<SendResponse> =>
    (await postEvents(
      options,
      ports,
      events,
      (json, isPlain) => encodeBody(json, isPlain || options.disableCompression, ports.compressor),
      (request) => ports.send({ ...request, aborts }),
    ))!

  /** Handles a response, but ignores a request that `stop()` has aborted. */
  const handleUnlessStopped = (response: SendResponse, batch: EventBatch): RunResult | undefined =>
    response.status || scheduler.canContinue() ? handleResponse(response, batch) : DONE

  const abort = (): void => {
    abortCount++
    for (const end of aborts) end()
  }

  return {
    ...scheduler,
    status,
    async flush(isForced) {
      activeFlushCount++
      await scheduler.flush(isForced)
      activeFlushCount--
    },
    async sendNow(json) {
      if (findObstacle(scheduler, retryTime, clock, false)) return false
      const failures = retryTime.failures()
      const response = await post([json])
      // Concurrent requests that fail together count as one failure.
      if (retryTime.failures() > failures && ['retry', 'wait'].includes(classifyResponse(response))) return false
      return !handleUnlessStopped(response, { events: [json], remove: noop })
    },
    async drain(deadline) {
      const abortCountBefore = abortCount
      activeFlushCount++
      for (let attempts = 1; ; attempts++) {
        const sizeBefore = log.size()
        const { waitMs } = await scheduler.deliver(true)
        const now = clock.now()
        if (
          waitMs === Infinity ||
          abortCount !== abortCountBefore ||
          now + retryTime.remainingMs(now, true) > deadline()
        )
          break
        if (log.size() < sizeBefore) attempts = 1
        await pause(clock, Math.min(waitMs, backoffMs(attempts, options.fetchRetryDelay, ports.random())), aborts)
      }
      activeFlushCount--
    },
    abort,
    stop() {
      scheduler.stop()
      abort()
    },
  }
}
