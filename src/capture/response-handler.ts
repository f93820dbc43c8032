import type { Clock } from '../port/clock.ts'
import type { EventBatch } from '../port/event-log.ts'
import type { Logger } from '../port/logger.ts'
import type { SendResponse } from '../port/send.ts'
import { readServiceError } from '../wire/read-service-error.ts'
import { parseRetryAfterMs } from '../wire/retry-after.ts'
import { MAX_BACKOFF_MS, backoffMs } from './backoff.ts'
import { classifyResponse } from './classify-response.ts'
import type { ResponseClass } from './classify-response.ts'
import type { DropReason } from './drop-reason.ts'
import type { RunResult } from './flush-scheduler.ts'
import type { RetryTime } from './retry-time.ts'

export interface ResponseHandlerOptions {
  /** URL of the batch endpoint. */
  readonly url: string
  readonly maxBatchSize: number
  readonly fetchRetryDelay: number
}

export interface ResponseHandlerPorts {
  readonly clock: Clock
  readonly retryTime: RetryTime
  /** In [0, 1). */
  readonly random: () => number
  readonly logger: Logger
  readonly onDrop: (json: string, reason: DropReason) => void
}

/**
 * Acts on the responses of the service. It updates the back-off, and allows half of the events per request when a body was too large.
 *
 * Of the two classes that keep events, `retry` grows the back-off step by step, and `wait` uses the longest back-off at once.
 */
export interface ResponseHandler {
  /** Maximum number of events in a request: `maxBatchSize`, or fewer after a body was too large. */
  batchSize(): number
  /**
   * Removes the batch from the queue when its events are delivered, or dropped for good. Otherwise they stay.
   *
   * @returns How long the next attempt must wait; undefined when the next batch can be sent at once.
   */
  handleResponse(response: SendResponse, batch: EventBatch): RunResult | undefined
  /** How the deliveries of this agent went. */
  status(): DeliveryStatus
}

export interface DeliveryStatus {
  /** When the service last accepted events of a request. */
  readonly lastDelivery: Date | undefined
  /** Why the last request failed; undefined when it did not. */
  readonly lastError: string | undefined
  /** When the next attempt is due after a failure. Undefined: waiting events are sent as `flushAt` and `flushInterval` say. */
  readonly nextAttempt: Date | undefined
}

export const createResponseHandler = (
  options: ResponseHandlerOptions,
  ports: ResponseHandlerPorts,
): ResponseHandler => {
  const { clock, retryTime, logger } = ports
  let batchSize = options.maxBatchSize
  // Kept per agent, because all tabs share `retryTime`: each agent warns once per outage, even if another tab failed first.
  let lastClass: ResponseClass = 'accepted'
  let lastError: string | undefined
  let lastDelivery: Date | undefined

  return {
    batchSize: () => batchSize,
    status() {
      const now = clock.now()
      const waitMs = retryTime.remainingMs(now)
      return { lastDelivery, lastError, nextAttempt: waitMs ? new Date(now + waitMs) : undefined }
    },
    handleResponse(response, { events, remove }) {
      const responseClass = classifyResponse(response)
      const now = clock.now()
      if (responseClass === 'accepted') {
        lastDelivery = new Date(now)
        lastError = undefined
      } else {
        const reason = readServiceError(response.body) ?? (responseClass === 'wait' ? 'not the service' : '')
        lastError = `${options.url} answered ${response.status || (response.failure ?? 'nothing')} ${reason}`.trim()
        // The search for an accepted size is one problem, however many sizes are refused.
        const isSearching = responseClass === 'too_large' && batchSize < options.maxBatchSize
        if (responseClass !== lastClass && !isSearching) logger.warn('events not delivered:', lastError)
      }
      lastClass = responseClass
      if (responseClass === 'retry' || responseClass === 'wait') {
        const failures = retryTime.failures() + 1
        const ownMs =
          responseClass === 'wait' ? MAX_BACKOFF_MS : backoffMs(failures, options.fetchRetryDelay, ports.random())
        const retryAfterMs = parseRetryAfterMs(response.retryAfter, now)
        retryTime.recordFailure(now, ownMs, retryAfterMs)
        const waitMs = Math.max(ownMs, retryAfterMs)
        logger.debug('retry', lastError!, now + waitMs)
        return { waitMs }
      }
      retryTime.recordSuccess()
      if (responseClass === 'too_large' && events.length > 1) batchSize = events.length >> 1
      else {
        remove()
        if (responseClass !== 'accepted') for (const json of events) ports.onDrop(json, responseClass)
      }
      return undefined
    },
  }
}
