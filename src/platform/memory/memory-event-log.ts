import type { EventLog, EventLogBounds, EventRun } from '../../port/event-log.ts'

/** So many forgotten places at the head of the array are worth a copy of the rest, which then is no longer than they are. */
const COMPACT_FROM = 1_024

/**
 * Keeps a server's events as long as its process lives.
 *
 * @param drop Hears of an event that cannot be kept: the oldest one when too many wait, or one that alone is larger than all may be.
 */
export const createMemoryEventLog = (
  bounds: EventLogBounds,
  drop: (json: string, reason: 'queue_overflow' | 'too_large') => void,
): EventLog => {
  // What waits stands from `head` on; what was taken stands apart, so that the oldest of the others may go while it is in flight.
  let events: string[] = []
  let head = 0
  let length = 0
  let taken: EventRun | undefined

  const size = (): number => (taken?.events.length ?? 0) + events.length - head

  const shift = (count: number): readonly string[] => {
    const shifted = events.slice(head, head + count)
    events.fill('', head, head + count)
    head += count
    if (head >= COMPACT_FROM && head * 2 >= events.length) {
      events = events.slice(head)
      head = 0
    }
    return shifted
  }

  /** Puts back what was taken and not removed. */
  const restore = (): void => {
    if (!taken) return
    events = [...taken.events, ...events.slice(head)]
    head = 0
    taken = undefined
  }

  return {
    append(json) {
      if (json.length > bounds.maxLength) return drop(json, 'too_large')
      events.push(json)
      length += json.length
      while (head < events.length && (size() > bounds.maxEvents || length > bounds.maxLength)) {
        const [oldest = ''] = shift(1)
        length -= oldest.length
        drop(oldest, 'queue_overflow')
      }
    },
    async take(maxEvents, maxLength) {
      restore()
      let count = 0
      let room = maxLength
      while (count < maxEvents && head + count < events.length) {
        room -= events[head + count]!.length + 1
        if (room < 0 && count > 0) break
        count++
      }
      if (!count) return undefined
      const run: EventRun = {
        events: shift(count),
        remove() {
          if (taken !== run) return
          taken = undefined
          for (const json of run.events) length -= json.length
        },
      }
      taken = run
      return run
    },
    size,
    writeNow() {},
    async settled() {},
    close() {
      restore()
      return shift(size())
    },
  }
}
