import { timeOfUuidV7 } from '../../codec/uuid.ts'

/** The fields of an event that determine its order. */
export interface SortableEvent {
  /** Index in the request. */
  readonly index: number
  /** Milliseconds since 1970. */
  readonly timestamp: number
  /** In lower case; undefined when none was sent. */
  readonly uuid: string | undefined
}

/**
 * Sorts the events of one request into the order in which they happened: by time, and within a millisecond by uuid if all are
 * version 7, because one sender creates these in ascending order (RFC 9562, 6.2). Otherwise the index decides. The index alone
 * is not enough, because senders queue, retry and merge their batches. Chance would then decide which property value is the
 * last, and which of two persons is merged into the other.
 */
export const sortEvents = <Event extends SortableEvent>(events: readonly Event[]): Event[] => {
  const sorted = [...events].sort((a, b) => a.timestamp - b.timestamp || a.index - b.index)
  for (let from = 0; from < sorted.length;) {
    let to = from + 1
    while (to < sorted.length && sorted[to]!.timestamp === sorted[from]!.timestamp) to++
    if (to - from > 1) sortRun(sorted, from, to)
    from = to
  }
  return sorted
}

/** Sorts the events of one millisecond by uuid. */
const sortRun = (sorted: SortableEvent[], from: number, to: number): void => {
  const run = sorted.slice(from, to)
  // All or none: comparing some pairs by uuid and others by index would not be transitive.
  if (!run.every(({ uuid }) => uuid !== undefined && timeOfUuidV7(uuid) !== undefined)) return
  run.sort((a, b) => compareStrings(a.uuid!, b.uuid!) || a.index - b.index)
  // One by one, because a request can have more events than arguments fit on the stack.
  for (const [offset, event] of run.entries()) sorted[from + offset] = event
}

const compareStrings = (a: string, b: string): number => Number(a > b) - Number(a < b)
