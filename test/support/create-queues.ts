import { createEventQueue } from '../../src/capture/event-queue.ts'
import type { EventQueue } from '../../src/capture/event-queue.ts'
import { createSharedQueue } from '../../src/capture/shared-queue.ts'
import type { QueueLimits } from '../../src/capture/queue-limits.ts'
import type { SharedQueue } from '../../src/capture/shared-queue.ts'
import type { WriteBehind } from '../../src/capture/write-behind.ts'
import type { Clock } from '../../src/port/clock.ts'
import type { Lock } from '../../src/port/lock.ts'

/** The queue of a tab with that of all tabs. */
export type Queues = Omit<EventQueue, keyof SharedQueue> & Omit<SharedQueue, 'countAdded'>

/** Creates the queue of a tab whose delivery has come. */
export const createQueues = (
  store: WriteBehind,
  clock: Clock,
  tab: string,
  limits: QueueLimits,
  lock: Lock,
  onOverflow: (json: string) => void,
): Queues => {
  const own = createEventQueue(store, clock, tab)
  const { countAdded, ...shared } = createSharedQueue(own, store, clock, limits, lock, onOverflow)
  return {
    ...own,
    ...shared,
    add(json) {
      const record = own.add(json)
      countAdded(record)
      return record
    },
  }
}
