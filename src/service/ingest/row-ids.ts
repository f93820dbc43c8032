import { readRowMark, saveRowMark } from '../store/events/row-mark.ts'
import { readInboxMark, saveInboxMark } from '../store/metadata/inbox-mark.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Ids that are reserved at once: one small write per so many requests. */
const RESERVED = 100_000

/**
 * Keeps a mark above every inbox row id, in the metadata and beside the stores. Each start goes on above both, so that no id
 * is given that a store has seen, whichever of inbox, metadata and stores was lost or replaced by an older one: below what a
 * store has seen, new rows would count as stored already.
 */
export interface RowIds {
  /** Told the id of the last row after each commit: reserves more in time. */
  readonly given: (id: number) => void
  /** Resolves when nothing is being written. */
  readonly settled: () => Promise<void>
}

/** The next whole multiple of what is reserved. */
export const wholeAbove = (id: number): number => Math.ceil(id / RESERVED) * RESERVED

/**
 * Reads the marks, hands the higher one to `raise`, and reserves the next ids above the id that is answered, the last one taken: marks
 * are whole multiples of what is reserved, so that a leap in the ids can be told from lost rows.
 *
 * @param onError Told about a mark that could not be written: with the one in the metadata the next commit tries again.
 */
export const reserveRowIds = async (
  metadata: Metadata,
  eventsFolder: string,
  raise: (mark: number) => number,
  onError: (error: unknown) => void,
): Promise<RowIds> => {
  const saveBoth = async (next: number): Promise<void> => {
    // The disk of the stores may be full while events are taken and wait.
    await saveRowMark(eventsFolder, next).catch(onError)
    await saveInboxMark(metadata, next)
  }
  const known = Math.max(await readInboxMark(metadata), await readRowMark(eventsFolder))
  let mark = wholeAbove(raise(wholeAbove(known))) + RESERVED
  await saveBoth(mark)

  let saving: Promise<void> | null = null
  const save = async (next: number): Promise<void> => {
    try {
      await saveBoth(next)
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
