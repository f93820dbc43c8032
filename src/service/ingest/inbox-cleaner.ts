import type { Inbox } from '../store/inbox/inbox.ts'

/** Dependencies of the inbox cleaner. */
export interface InboxCleanerParts {
  readonly inbox: Inbox
  /** Returns the last id of the rows that the indexer has stored. */
  readonly position: () => number
  readonly limitBytes: number
  /** Called when a deletion fails; the cleaner retries it. */
  readonly onError: (error: unknown) => void
}

export interface InboxCleaner {
  /** True while the remaining rows take more bytes than the limit. */
  readonly isFull: () => boolean
  readonly stop: () => void
}

/** Rows per deletion: it takes about 1 ms of the event loop, so commits of new requests hardly wait. */
const CHUNK_ROWS = 500
const CHUNK_PAUSE_MS = 5
const POLL_INTERVAL_MS = 250

/** Deletes inbox rows in chunks after they are stored, and measures the size of the remaining ones. */
export const startInboxCleaner = ({ inbox, position, limitBytes, onError }: InboxCleanerParts): InboxCleaner => {
  let deletedThrough = 0
  let isFull = inbox.usedBytes() > limitBytes
  let timer: NodeJS.Timeout

  const clean = (): void => {
    let hasMoreRows = false
    try {
      const storedThrough = position()
      if (storedThrough > deletedThrough) {
        hasMoreRows = inbox.deleteThrough(storedThrough, CHUNK_ROWS) === CHUNK_ROWS
        if (!hasMoreRows) deletedThrough = storedThrough
      }
      isFull = inbox.usedBytes() > limitBytes
    } catch (error) {
      onError(error)
    }
    timer = setTimeout(clean, hasMoreRows ? CHUNK_PAUSE_MS : POLL_INTERVAL_MS)
  }
  timer = setTimeout(clean, POLL_INTERVAL_MS)
  return { isFull: () => isFull, stop: () => clearTimeout(timer) }
}
