import { createByteLimit } from '../../../codec/byte-limit.ts'

/** Events that are only in memory, oldest first: those of the current turn, and all new ones while the disk refuses writes. */
export interface EventBuffer {
  push(json: string): void
  size(): number
  /** Characters of JSON. */
  length(): number
  /** Bytes of JSON in UTF-8. Each event is counted once, and only if this is called: counting takes time. */
  byteLength(): number
  /** Whether the events have more bytes than may be in memory. */
  isFull(): boolean
  /**
   * Reads the oldest events without removing them.
   *
   * @param maxLength Limit in characters, counting one line break per event. A longer first event is returned alone.
   */
  peek(maxEvents: number, maxLength: number): string[]
  /** Removes the oldest `count` events. */
  removeOldest(count: number): void
  /** Removes and returns the event at `index`, counted from the oldest; undefined past the end. */
  removeAt(index: number): string | undefined
}

/** Below this many removed entries, copying the array costs more than the memory it frees. */
const MIN_COMPACT_GAP = 1024

/** @param maxBytes Limit in memory: bytes of JSON in UTF-8. */
export const createEventBuffer = (maxBytes: number): EventBuffer => {
  let items: string[] = []
  let head = 0
  let length = 0
  // Bytes of the items from `head` to `countedEnd`.
  let countedBytes = 0
  let countedEnd = 0
  const byteLimit = createByteLimit(maxBytes, () => items.slice(head))

  const compact = (): void => {
    countedBytes = 0
    countedEnd = 0
    if (head === items.length) items = []
    else if (head >= MIN_COMPACT_GAP && head * 2 >= items.length) items = items.slice(head)
    else return
    head = 0
  }

  return {
    push(json) {
      items.push(json)
      length += json.length
      byteLimit.add(json)
    },
    size: () => items.length - head,
    length: () => length,
    byteLength() {
      for (countedEnd = Math.max(countedEnd, head); countedEnd < items.length; countedEnd++)
        countedBytes += Buffer.byteLength(items[countedEnd]!)
      return countedBytes
    },
    isFull: byteLimit.isExceeded,
    peek(maxEvents, maxLength) {
      let end = head
      for (let sum = 0; end < items.length && end - head < maxEvents; end++) {
        sum += items[end]!.length + 1
        if (end > head && sum > maxLength) break
      }
      return items.slice(head, end)
    },
    removeOldest(count) {
      for (const end = Math.min(head + count, items.length); head < end; head++) {
        length -= items[head]!.length
        byteLimit.remove(items[head]!)
        items[head] = ''
      }
      compact()
    },
    removeAt(index) {
      const position = head + index
      const removed = items[position]
      if (removed === undefined) return undefined
      // Shifts the older events, which are few, instead of the newer ones, which may be many.
      for (let to = position; to > head; to--) items[to] = items[to - 1]!
      items[head++] = ''
      length -= removed.length
      byteLimit.remove(removed)
      compact()
      return removed
    },
  }
}
