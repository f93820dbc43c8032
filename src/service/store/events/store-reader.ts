import type { RejectedRow, StoredEvent } from './event-store.ts'
import type { RowPosition } from '../row-position.ts'
import type { EventSums } from './event-sums.ts'

/**
 * Reads what the store of a project has, to copy it into another one. Nothing is written to the store meanwhile. Each engine reads its
 * events after a place, in lists that fit into memory.
 */
export interface StoreReader {
  readonly position: RowPosition
  /** See `EventStore.personRevision`. */
  readonly personRevision: number
  readonly eventCount: number
  /** Reads the rejected rows one by one, because they may be large, but for the first ones. */
  readRejected(skipped: number): AsyncGenerator<RejectedRow>
  sumEvents(): Promise<EventSums>
  close(): Promise<void>
}

/** Events of a store, and the place of the last one. */
export interface CopiedEvents<Place> {
  readonly events: readonly StoredEvent[]
  readonly last: Place
}
