import { readEventsWatermark, saveEventsWatermark } from '../store/events/events-watermark.ts'
import { readInboxWatermark, saveInboxWatermark } from '../store/metadata/inbox-watermark.ts'
import type { NodeMetadata } from '../store/metadata/node-id.ts'

/** Ids that are reserved at once, so that this many requests need only one small write. */
const RESERVED_IDS = 100_000

/**
 * Keeps a watermark above every inbox row id, in the metadata and beside the event stores. Each start continues above both.
 * So no id that a store has seen is assigned again, even if the inbox, metadata or stores were lost or restored from a backup.
 * With a lower id, a new row would count as already stored.
 */
export interface RowIdReservation {
  /** Call this with the last row id after each commit; it reserves more ids in time. */
  readonly recordId: (id: number) => void
  /** Resolves when no watermark is being saved. */
  readonly whenSaved: () => Promise<void>
}

/** Rounds up to a multiple of the ids that are reserved at once. */
export const roundUpToReserved = (id: number): number => Math.ceil(id / RESERVED_IDS) * RESERVED_IDS

/**
 * Reads both watermarks, makes the inbox continue above the higher one, and reserves the next ids. Watermarks are multiples
 * of 100,000. A salvage can therefore distinguish a gap that a start left from lost rows.
 *
 * @param continueAbove Makes the inbox continue above an id; returns the last id that is taken.
 * @param onError Called when a watermark could not be saved. The next commit retries the one in the metadata.
 */
export const reserveRowIds = async (
  { metadata, nodeId }: NodeMetadata,
  eventsFolder: string,
  continueAbove: (id: number) => number,
  onError: (error: unknown) => void,
): Promise<RowIdReservation> => {
  const saveWatermarks = async (id: number): Promise<void> => {
    // The disk of the stores may be full while the inbox still accepts events.
    await saveEventsWatermark(eventsFolder, id).catch(onError)
    await saveInboxWatermark(metadata, nodeId, id)
  }
  const storedWatermark = Math.max(await readInboxWatermark(metadata, nodeId), await readEventsWatermark(eventsFolder))
  let watermark = roundUpToReserved(continueAbove(roundUpToReserved(storedWatermark))) + RESERVED_IDS
  await saveWatermarks(watermark)

  let pendingSave: Promise<void> | null = null
  const raiseWatermark = async (id: number): Promise<void> => {
    try {
      await saveWatermarks(id)
      watermark = id
    } catch (error) {
      onError(error)
    } finally {
      pendingSave = null
    }
  }
  return {
    recordId: (id) => {
      if (id > watermark - RESERVED_IDS / 2) pendingSave ??= raiseWatermark(roundUpToReserved(id) + RESERVED_IDS)
    },
    whenSaved: async () => {
      await pendingSave
    },
  }
}
