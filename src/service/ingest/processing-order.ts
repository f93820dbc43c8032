import { timeOfUuidV7 } from '../../codec/uuid.ts'

/** What tells which event of a request happened first. */
export interface Placed {
  /** Place in the request. */
  readonly index: number
  /** Milliseconds since 1970. */
  readonly timestamp: number
  /** Lower case, where one was sent. */
  readonly uuid: string | undefined
}

/**
 * The events of one request in the order in which they happened, as far as they tell, whatever their places in the body:
 * by time; in the same millisecond by uuid when all of them have version 7 uuids, which one sender makes in growing order
 * (RFC 9562, 6.2); else by place, the only order that is left. Senders queue, retry and join their batches, so that place
 * alone would make it a matter of luck which of two values stays, and who is merged into whom.
 */
export const inProcessingOrder = <Event extends Placed>(events: readonly Event[]): Event[] => {
  const ordered = [...events].sort((one, other) => one.timestamp - other.timestamp || one.index - other.index)
  for (let from = 0; from < ordered.length;) {
    let to = from + 1
    while (to < ordered.length && ordered[to]!.timestamp === ordered[from]!.timestamp) to++
    if (to - from > 1) sortRun(ordered, from, to)
    from = to
  }
  return ordered
}

const sortRun = (ordered: Placed[], from: number, to: number): void => {
  const run = ordered.slice(from, to)
  // All or none: a rule that compares some pairs by uuid and others by place could go round in circles.
  if (!run.every(({ uuid }) => uuid !== undefined && timeOfUuidV7(uuid) !== undefined)) return
  run.sort((one, other) => textOrder(one.uuid!, other.uuid!) || one.index - other.index)
  // One by one: as many arguments as a request may have events do not fit on the stack.
  for (const [at, event] of run.entries()) ordered[from + at] = event
}

const textOrder = (one: string, other: string): number => Number(one > other) - Number(one < other)
