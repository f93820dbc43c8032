import type { InboxRow } from '../store/inbox/inbox.ts'
import type { RowPosition } from '../store/row-position.ts'
import { coversRow } from '../store/row-position.ts'

/** Reads the rows that follow; null if there are none, or if others must be indexed first. */
export type ReadMore = () => readonly InboxRow[] | null

/** Bytes of rows that may wait for their commit: two commits of usual, compressed requests have fewer. */
const MAX_UNSTORED_BYTES = 32 * 1024 * 1024

/** Estimated memory of a row beside its body. */
const ROW_BYTES = 256

/** Rows of one project, and those that follow while they are indexed: without a pause, in which the store would have nothing to do. */
export interface RowStream {
  /** The rows that were read and are not stored, in order. */
  readonly unstored: () => readonly InboxRow[]
  /** Yields the rows that are not stored, and then reads more of them until there are none, or 32 MB wait for their commit. */
  readonly readAll: () => Generator<InboxRow>
}

/**
 * @param position of the store.
 * @param readMore Default: no rows follow.
 */
export const createRowStream = (
  rows: readonly InboxRow[],
  position: () => RowPosition,
  readMore: ReadMore = () => null,
): RowStream => {
  let read = rows
  const unstored = (): readonly InboxRow[] => {
    const current = position()
    const first = read.findIndex(({ id }) => !coversRow(current, id))
    return first === -1 ? [] : read.slice(first)
  }
  const readNext = (): readonly InboxRow[] | null => {
    read = unstored()
    const bytes = read.reduce((sum, { body }) => sum + body.length + ROW_BYTES, 0)
    const next = bytes > MAX_UNSTORED_BYTES ? null : readMore()
    if (next !== null) read = [...read, ...next]
    return next
  }
  return {
    unstored,
    *readAll() {
      let next: readonly InboxRow[] | null = unstored()
      while (next !== null) {
        yield* next
        next = readNext()
      }
    },
  }
}
