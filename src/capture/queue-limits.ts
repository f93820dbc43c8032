import type { EventQueue } from './event-queue.ts'
import { EVENTS_FROM, EVENTS_TO } from './record-key.ts'
import type { WriteBehind } from './write-behind.ts'

/**
 * Limits for the events of all tabs together. Beyond either limit the oldest events are dropped, once no tab delivers. A tab counts the
 * events of other tabs when its delivery starts, when it wakes, and when it finds the queue full. Until then the limits can be exceeded.
 */
export interface QueueLimits {
  /** Default 10,000. */
  readonly maxQueueSize: number
  /** Default 20 MB of JSON in UTF-8. */
  readonly maxBytes: number
}

/**
 * Drops the oldest events that are beyond a limit, and returns how many were dropped.
 *
 * @param keys Keys of the stored events, oldest first.
 * @param count Number of all events, with those that were added after the keys were read.
 * @param bytes Bytes of all events.
 * @param sizeOf Returns the bytes of an event.
 * @param onOverflow Called with each dropped event.
 */
export const dropBeyondLimits = async (
  store: Pick<WriteBehind, 'read'>,
  { remove }: Pick<EventQueue, 'remove'>,
  { maxQueueSize, maxBytes }: QueueLimits,
  keys: readonly string[],
  count: number,
  bytes: number,
  sizeOf: (key: string) => number,
  onOverflow: (json: string) => void,
): Promise<number> => {
  let excess = 0
  while (excess < keys.length && (count - excess > maxQueueSize || bytes > maxBytes)) bytes -= sizeOf(keys[excess++]!)
  if (!excess) return 0
  const oldest = await store.read(EVENTS_FROM, keys[excess] ?? EVENTS_TO, excess)
  remove(oldest.map(([key]) => key))
  for (const [, json] of oldest) onOverflow(json)
  return oldest.length
}
