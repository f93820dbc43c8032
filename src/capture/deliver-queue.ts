import type { Clock } from '../port/clock.ts'
import type { EventBatch } from '../port/event-log.ts'
import { DONE } from './flush-scheduler.ts'
import type { FlushScheduler, RunResult } from './flush-scheduler.ts'
import type { RetryTime } from './retry-time.ts'

/** Returns how a run ends that cannot start now; undefined when it can. `isForced` ignores our own back-off. */
export const findObstacle = (
  { canContinue }: FlushScheduler,
  retryTime: RetryTime,
  clock: Clock,
  isForced: boolean | undefined,
): RunResult | undefined => {
  const waitMs = canContinue() ? retryTime.remainingMs(clock.now(), isForced) : DONE.waitMs
  return waitMs ? { waitMs } : undefined
}

/**
 * Delivers a queue, oldest events first, one request at a time, until it is empty or a batch ends the run.
 *
 * @param readOldest Reads the next batch; undefined when nothing can be sent now.
 * @param sendBatch Sends a batch. Its result ends the run; undefined when the next batch can be sent at once.
 */
export const deliverQueue = async <Batch extends EventBatch>(
  { canContinue, hasNewEvents }: FlushScheduler,
  readOldest: () => Promise<Batch | undefined>,
  sendBatch: (batch: Batch) => Promise<RunResult | undefined>,
): Promise<RunResult> => {
  for (;;) {
    // Resets the count, so that the call below sees only events that were captured after this line.
    hasNewEvents()
    const batch = await readOldest()
    if (!canContinue()) return DONE
    if (batch) {
      const result = await sendBatch(batch)
      if (result) return result
    } else if (!hasNewEvents()) return DONE
  }
}
