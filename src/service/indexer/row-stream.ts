import type { InboxRow } from '../store/inbox/inbox.ts'
import type { RowPosition } from '../store/row-position.ts'
import { coversRow } from '../store/row-position.ts'

/** Reads the rows that follow; null if there are none, or if others must be indexed first. */
export type ReadMore = () => readonly InboxRow[] | null

/** Rows of one project, and those that follow while they are indexed: without a pause, in which the store would have nothing to do. */
export interface RowStream {
  /** The rows that were read and are not stored. */
  readonly unstored: () => readonly InboxRow[]
  /** Yields the rows that are not stored, and then reads more of them until there are none. */
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
    return read.filter(({ id }) => !coversRow(current, id))
  }
  return {
    unstored,
    *readAll() {
      let next: readonly InboxRow[] | null = unstored()
      while (next !== null) {
        yield* next
        next = readMore()
        if (next !== null) read = [...unstored(), ...next]
      }
    },
  }
}
