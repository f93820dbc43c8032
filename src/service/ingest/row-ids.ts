import { readInboxMark, saveInboxMark } from '../store/metadata/inbox-mark.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Ids that are reserved at once: one small write per so many requests. */
const RESERVED = 100_000

/** Ids that an inbox is behind its mark at most, when it is the one that the mark was made for. */
export const MOST_BEHIND: number = RESERVED

/**
 * Keeps a mark above every inbox row id in the metadata, so that an inbox file that was lost or replaced by an older one
 * goes on above the ids that the stores have seen. Below them, new rows would count as stored already.
 */
export interface RowIds {
  /** Told the id of the last row after each commit: reserves more in time. */
  readonly given: (id: number) => void
  /** Resolves when nothing is being written. */
  readonly settled: () => Promise<void>
}

/**
 * Reads the mark, hands it to `raise`, and reserves the next ids above the id that is answered: the inbox's last one.
 *
 * @param onError Told about a mark that could not be written; the next commit tries again.
 */
export const reserveRowIds = async (
  metadata: Metadata,
  raise: (mark: number) => number,
  onError: (error: unknown) => void,
): Promise<RowIds> => {
  let mark = raise(await readInboxMark(metadata)) + RESERVED
  await saveInboxMark(metadata, mark)

  let saving: Promise<void> | null = null
  const save = async (next: number): Promise<void> => {
    try {
      await saveInboxMark(metadata, next)
      mark = next
    } catch (error) {
      onError(error)
    } finally {
      saving = null
    }
  }
  return {
    given: (id) => {
      if (id > mark - RESERVED / 2) saving ??= save(id + RESERVED)
    },
    settled: async () => {
      await saving
    },
  }
}
