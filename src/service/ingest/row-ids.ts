import { readInboxMark, saveInboxMark } from '../store/metadata/inbox-mark.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Ids that are reserved at once: one small write per so many requests. */
const RESERVED = 100_000

/**
 * Keeps a mark above every inbox row id in the metadata. Each start goes on above it, so that an inbox file that was lost or
 * replaced by an older one gives no id that the stores have seen: below them, new rows would count as stored already.
 */
export interface RowIds {
  /** Told the id of the last row after each commit: reserves more in time. */
  readonly given: (id: number) => void
  /** Resolves when nothing is being written. */
  readonly settled: () => Promise<void>
}

/**
 * Reads the mark, hands it to `raise`, and reserves the next ids above the id that is answered, the last one taken: marks
 * are whole multiples of what is reserved, so that a leap in the ids can be told from lost rows.
 *
 * @param onError Told about a mark that could not be written; the next commit tries again.
 */
export const reserveRowIds = async (
  metadata: Metadata,
  raise: (mark: number) => number,
  onError: (error: unknown) => void,
): Promise<RowIds> => {
  const wholeAbove = (id: number): number => Math.ceil(id / RESERVED) * RESERVED
  let mark = wholeAbove(raise(wholeAbove(await readInboxMark(metadata)))) + RESERVED
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
      if (id > mark - RESERVED / 2) saving ??= save(wholeAbove(id) + RESERVED)
    },
    settled: async () => {
      await saving
    },
  }
}
