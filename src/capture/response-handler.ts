import type { Clock } from '../port/clock.ts'
import type { SendResponse } from '../port/send.ts'
import { parseRetryAfterMs } from '../wire/retry-after.ts'
import { MAX_BACKOFF_MS, backoffMs } from './backoff.ts'
import { classifyResponse } from './classify-response.ts'
import type { ResponseClass } from './classify-response.ts'
import type { RunResult } from './flush-scheduler.ts'
import type { RetryTime } from './retry-time.ts'

export interface ResponseHandlerOptions {
  readonly maxBatchSize: number
  readonly fetchRetryDelay: number
}

export interface ResponseHandlerPorts {
  readonly clock: Clock
  readonly retryTime: RetryTime
  /** In [0, 1). */
  readonly random: () => number
  readonly warn: (message: string) => void
}

/** The classes after which events leave the queue: accepted, or dropped for this reason. */
export type FinalClass = Exclude<ResponseClass, 'retry' | 'wait'>

/** Acts on the responses of the service: updates the back-off, and halves the batch size when a body was too large. */
export interface ResponseHandler {
  /** Maximum number of events in a request: `maxBatchSize`, or fewer after a body was too large. */
  batchSize(): number
  /**
   * @param events Number of events in the request.
   * @param remove Called when the events can leave the queue. Otherwise they stay.
   * @returns How long the next attempt has to wait; undefined when the next batch can go out at once.
   */
  handleResponse(response: SendResponse, events: number, remove: (result: FinalClass) => void): RunResult | undefined
}

export const createResponseHandler = (
  options: ResponseHandlerOptions,
  ports: ResponseHandlerPorts,
): ResponseHandler => {
  const { clock, retryTime, warn } = ports
  let batchSize = options.maxBatchSize
  // Kept per agent, because `retryTime` is shared: each agent warns once of an outage, even if another tab saw it first.
  let isUnreachable = false

  return {
    batchSize: () => batchSize,
    handleResponse(response, events, remove) {
      const responseClass = classifyResponse(response)
      const now = clock.now()
      if (responseClass === 'retry' || responseClass === 'wait') {
        const failures = retryTime.failures() + 1
        const ownMs =
          responseClass === 'wait' ? MAX_BACKOFF_MS : backoffMs(failures, options.fetchRetryDelay, ports.random())
        const retryAfterMs = parseRetryAfterMs(response.retryAfter, now)
        retryTime.recordFailure(now, ownMs, retryAfterMs)
        if (!isUnreachable) warn(`the service cannot be reached (status ${response.status}); events are kept`)
        isUnreachable = true
        return { waitMs: Math.max(ownMs, retryAfterMs) }
      }
      retryTime.recordSuccess()
      isUnreachable = false
      if (responseClass === 'too_large' && events > 1) {
        if (batchSize === options.maxBatchSize) {
          warn(`${events} events are too large for one request; sending fewer`)
        }
        batchSize = events >> 1
      } else remove(responseClass)
      return undefined
    },
  }
}
