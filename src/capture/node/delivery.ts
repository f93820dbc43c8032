import type { Compressor } from '../../port/compressor.ts'
import type { EventLog } from '../../port/event-log.ts'
import { pause } from '../../port/pause.ts'
import type { Send, SendResponse } from '../../port/send.ts'
import { MAX_BATCH_LENGTH } from '../../wire/limits.ts'
import { backoffMs } from '../backoff.ts'
import { createBatchBody } from '../batch.ts'
import type { SendReport } from '../delivery.ts'
import type { DropReason } from '../drop-reason.ts'
import { classifyResponse } from '../classify-response.ts'
import { createResponseHandler } from '../response-handler.ts'
import type { FinalClass, ResponseHandler, ResponseHandlerOptions, ResponseHandlerPorts } from '../response-handler.ts'
import { createFlushScheduler, DONE } from '../flush-scheduler.ts'
import type { RunResult, FlushScheduler, FlushSchedulerOptions, FlushSchedulerPorts } from '../flush-scheduler.ts'
import { encodeBody } from './encode-body.ts'

export interface NodeDeliveryOptions extends FlushSchedulerOptions, ResponseHandlerOptions {
  /** URL of the batch endpoint. */
  readonly url: string
  readonly apiKey: string
  readonly requestTimeout: number
  readonly disableCompression: boolean
  readonly historicalMigration: boolean
}

/** `canDeliver` returns false while the agent is opted out. */
export interface NodeDeliveryPorts extends FlushSchedulerPorts, ResponseHandlerPorts {
  readonly log: EventLog
  readonly send: Send
  readonly compressor: Compressor
  /** Called when events have left the log: delivered or dropped. */
  readonly onProgress: () => void
  readonly onDrop: (json: string, reason: DropReason) => void
  readonly onSend: (report: SendReport) => void
}

export interface NodeDelivery extends Pick<FlushScheduler, 'countEvent' | 'wake' | 'flush' | 'stop'> {
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

/** Delivers the event log, oldest events first, one request at a time. A retryable failure never removes an event. */
export const createNodeDelivery = (options: NodeDeliveryOptions, ports: NodeDeliveryPorts): NodeDelivery => {
  const { clock, log, retryTime, onDrop } = ports
  const scheduler = createFlushScheduler(options, ports, (isForced) => deliverLog(isForced))
  const { batchSize, handleResponse } = createResponseHandler(options, ports)
  // Abort functions of the requests in flight and of pauses.
  const aborts = new Set<() => void>()
  let activeFlushCount = 0
  let abortCount = 0

  const deliverLog = async (isForced?: boolean): Promise<RunResult> => {
    if (!scheduler.canContinue()) return DONE
    const waitMs = retryTime.remainingMs(clock.now(), isForced)
    if (waitMs) return { waitMs }
    for (;;) {
      scheduler.hasNewEvents()
      const startedAt = clock.now()
      const batch = await log.readOldest(batchSize(), MAX_BATCH_LENGTH)
      if (!scheduler.canContinue()) return DONE
      if (batch) {
        const queuedCount = log.size()
        let removedCount = 0
        const response = await post(batch.events)
        const result = handleUnlessStopped(response, batch.events.length, (responseClass) => {
          removedCount = batch.events.length
          batch.remove()
          reportDrops(batch.events, responseClass)
          ports.onProgress()
        })
        if (result) return result
        // Events captured during the request wait for `flushAt` or `flushInterval`: otherwise slow traffic would make many small requests.
        if (removedCount >= queuedCount && log.size() < options.flushAt && !activeFlushCount) {
          return log.size() ? { waitMs: Math.max(0, startedAt + options.flushInterval - clock.now()) } : DONE
        }
      } else if (!scheduler.hasNewEvents()) return DONE
    }
  }

  const post = async (events: readonly string[]): Promise<SendResponse> => {
    const { url, apiKey, requestTimeout: timeoutMs } = options
    const json = createBatchBody(apiKey, events, clock.now(), options.historicalMigration)
    const { encoding, bytesBefore, bytesAfter, ...body } = await encodeBody(
      json,
      options.disableCompression,
      ports.compressor,
    )
    const response = await ports.send({ url, timeoutMs, aborts, ...body })
    ports.onSend({ url, encoding, events: events.length, bytesBefore, bytesAfter, status: response.status })
    return response
  }

  /** Handles a response, but ignores a request that `stop()` has aborted. */
  const handleUnlessStopped: ResponseHandler['handleResponse'] = (response, eventCount, remove) =>
    response.status || scheduler.canContinue() ? handleResponse(response, eventCount, remove) : DONE

  const reportDrops = (events: readonly string[], responseClass: FinalClass): void => {
    if (responseClass !== 'accepted') for (const json of events) onDrop(json, responseClass)
  }

  const abort = (): void => {
    abortCount++
    for (const end of aborts) end()
  }

  return {
    ...scheduler,
    async flush(isForced) {
      activeFlushCount++
      await scheduler.flush(isForced)
      activeFlushCount--
    },
    async sendNow(json) {
      if (!scheduler.canContinue() || retryTime.remainingMs(clock.now())) return false
      const failures = retryTime.failures()
      const response = await post([json])
      // Concurrent requests that fail together count as one failure.
      if (retryTime.failures() > failures && ['retry', 'wait'].includes(classifyResponse(response))) return false
      return !handleUnlessStopped(response, 1, (responseClass) => reportDrops([json], responseClass))
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
