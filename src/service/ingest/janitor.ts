import type { Inbox } from '../store/inbox/inbox.ts'

/** What the janitor needs. */
export interface JanitorParts {
  readonly inbox: Inbox
  /** Every row up to this id is stored. */
  readonly position: () => number
  readonly limitBytes: number
  /** Told about a deletion that failed; the next round tries again. */
  readonly onError: (error: unknown) => void
}

export interface Janitor {
  /** True while the rows that wait hold more than the limit. */
  readonly isFull: () => boolean
  readonly stop: () => void
}

/** Rows per deletion: about 1 ms of the event loop, so that commits of new requests hardly wait. */
const SLICE_ROWS = 500
const PAUSE_MS = 5
const ROUND_MS = 250

/** Deletes inbox rows, in slices, once they are stored, and measures what still waits. */
export const startJanitor = ({ inbox, position, limitBytes, onError }: JanitorParts): Janitor => {
  let deletedThrough = 0
  let isFull = inbox.usedBytes() > limitBytes
  let timer: NodeJS.Timeout

  const round = (): void => {
    let isMore = false
    try {
      const through = position()
      if (through > deletedThrough) {
        isMore = inbox.deleteThrough(through, SLICE_ROWS) === SLICE_ROWS
        if (!isMore) deletedThrough = through
      }
      isFull = inbox.usedBytes() > limitBytes
    } catch (error) {
      onError(error)
    }
    timer = setTimeout(round, isMore ? PAUSE_MS : ROUND_MS)
  }
  timer = setTimeout(round, ROUND_MS)
  return { isFull: () => isFull, stop: () => clearTimeout(timer) }
}
