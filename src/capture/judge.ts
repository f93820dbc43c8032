import type { Clock } from '../port/clock.ts'
import type { SendAnswer } from '../port/send.ts'
import { retryAfterMs } from '../wire/retry-after.ts'
import { BACKOFF_MAX_MS, backoffMs } from './backoff.ts'
import type { NextTry } from './next-try.ts'
import { outcomeOf } from './outcome.ts'
import type { PassEnd } from './rounds.ts'

export interface JudgeOptions {
  readonly maxBatchSize: number
  readonly fetchRetryDelay: number
}

export interface JudgePorts {
  readonly clock: Clock
  readonly nextTry: NextTry
  /** In [0, 1). */
  readonly random: () => number
  readonly warn: (message: string) => void
}

/** What becomes of events that the service has looked at: it has them, or they are dropped for this reason. */
export type Fate = 'accepted' | 'too_large' | 'rejected_by_service'

/** Acts on the answers of the service: keeps the back-off, and the size of a batch that is not too large for it. */
export interface Judge {
  /** Most events of a request: `maxBatchSize`, until one of them was too large. */
  batchSize(): number
  /**
   * @param events How many were sent.
   * @param forget Called when the service is done with them. Otherwise they stay.
   * @returns How long the next try has to wait; undefined: go on at once.
   */
  judge(answer: SendAnswer, events: number, forget: (fate: Fate) => void): PassEnd | undefined
}

export const createJudge = (options: JudgeOptions, ports: JudgePorts): Judge => {
  const { clock, nextTry, warn } = ports
  let batchSize = options.maxBatchSize
  // Each agent tells of an outage, also of one that others met before it.
  let isDown = false

  return {
    batchSize: () => batchSize,
    judge(answer, events, forget) {
      const fate = outcomeOf(answer)
      const now = clock.now()
      if (fate === 'retry' || fate === 'wait') {
        const failures = nextTry.failures() + 1
        const ownMs = fate === 'wait' ? BACKOFF_MAX_MS : backoffMs(failures, options.fetchRetryDelay, ports.random())
        const askedMs = retryAfterMs(answer.retryAfter, now)
        nextTry.failed(now, ownMs, askedMs)
        if (!isDown) warn(`the service cannot be reached (status ${answer.status}); events are kept`)
        isDown = true
        return { waitMs: Math.max(ownMs, askedMs) }
      }
      nextTry.succeeded()
      isDown = false
      if (fate === 'too_large' && events > 1) {
        if (batchSize === options.maxBatchSize) {
          warn(`${events} events are too large for one request; sending fewer`)
        }
        batchSize = events >> 1
      } else forget(fate)
      return undefined
    },
  }
}
