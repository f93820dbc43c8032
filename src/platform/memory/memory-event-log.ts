import { createByteLimit, isLongerThan } from '../../codec/byte-limit.ts'
import type { EventLog, EventBatch, EventLogLimits } from '../../port/event-log.ts'

/** Below this many removed entries, copying the array costs more than the memory it frees. */
const MIN_COMPACT_GAP = 1_024

/**
 * Keeps the events of a Node or edge agent in memory, for the life of its process.
 *
 * @param onDrop Called for an event that cannot be kept: the oldest one beyond the limits, or one that alone exceeds them.
 */
export const createMemoryEventLog = (
  limits: EventLogLimits,
  onDrop: (json: string, reason: 'queue_overflow' | 'too_large') => void,
): EventLog => {
  // The pending events start at `head`. The batch in flight is kept apart, so that the oldest of the others can be dropped meanwhile.
  let events: string[] = []
  let head = 0
  let inFlight: EventBatch | undefined
  const byteLimit = createByteLimit(limits.maxBytes, () => [...(inFlight?.events ?? []), ...events.slice(head)])

  const size = (): number => (inFlight?.events.length ?? 0) + events.length - head

  const shift = (count: number): readonly string[] => {
    const shifted = events.slice(head, head + count)
    events.fill('', head, head + count)
    head += count
    if (head >= MIN_COMPACT_GAP && head * 2 >= events.length) {
      events = events.slice(head)
      head = 0
    }
    return shifted
  }

  /** Puts the batch in flight back to the front. */
  const restore = (): void => {
    if (!inFlight) return
    events = [...inFlight.events, ...events.slice(head)]
    head = 0
    inFlight = undefined
  }

  return {
    append(json) {
      if (isLongerThan(json, limits.maxBytes)) return onDrop(json, 'too_large')
      events.push(json)
      byteLimit.add(json)
      while (head < events.length && (size() > limits.maxEvents || byteLimit.isExceeded())) {
        const [oldest = ''] = shift(1)
        byteLimit.remove(oldest)
        onDrop(oldest, 'queue_overflow')
      }
    },
    async readOldest(maxEvents, maxLength) {
      restore()
      let count = 0
      let room = maxLength
      while (count < maxEvents && head + count < events.length) {
        room -= events[head + count]!.length + 1
        if (room < 0 && count > 0) break
        count++
      }
      if (!count) return undefined
      const batch: EventBatch = {
        events: shift(count),
        remove() {
          if (inFlight !== batch) return
          inFlight = undefined
          batch.events.forEach(byteLimit.remove)
        },
      }
      inFlight = batch
      return batch
    },
    size,
    writeSync() {},
    async whenDurable() {},
    close() {
      restore()
      return shift(size())
    },
  }
}
