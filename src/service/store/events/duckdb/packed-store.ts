import type { AskAny } from '../../../insight/question/questions.ts'
import type { RowPosition } from '../../row-position.ts'
import type { EventIdentity, EventStore, RejectedRow } from '../event-store.ts'
import type { StoredTimes } from './recent-uuids.ts'
import type { PackedEvents } from './event-table/pack-events.ts'
import type { PropertyColumns } from './event-table/property-column.ts'
import type { PackedRows } from './rows/packed-rows.ts'

/**
 * The DuckDB side of an event store. It takes rows that are packed already and gives plain data, so it can run in a thread of its own
 * (`thread/`); the other side is `createEventStore`.
 */
export interface PackedStore extends Pick<EventStore, 'interrupt' | 'close'> {
  /** Answers a question from what is committed. */
  readonly ask: AskAny
  /** What the file had when it was opened. */
  readonly opened: OpenedFile
  /**
   * The places of the uuids whose events are committed.
   *
   * @param uuids of version 7, as `packUuids` gives them.
   */
  findStored(uuids: Uint32Array<ArrayBuffer>): Promise<readonly number[]>
  /** The times of all uuids of version 7 whose events were committed before this call. Takes 50 ms per million events if their uuids are of several versions, and a few milliseconds if all are of version 7. */
  readStoredTimes(): Promise<StoredTimes>
  /** Claims the uuids of events (`UuidClaims`); the places in the list of those that another event owns. */
  claim(events: readonly EventIdentity[]): Promise<readonly number[]>
  /** Writes a batch into the open transaction; begins one if there is none. Rolls back if that fails. */
  add(batch: PackedBatch): Promise<void>
  /**
   * Commits the open transaction, then adds columns. Rolls back if that fails.
   *
   * @returns all columns of properties.
   */
  commit(end: TransactionEnd): Promise<PropertyColumns>
  /** Rolls back the open transaction, if there is one. */
  discard(): Promise<void>
  /** Whether the events can be written: tries it and rolls back, with the open transaction. */
  canStore(events: PackedEvents): Promise<boolean>
}

/** How far a store is. */
export interface StoreProgress {
  readonly position: RowPosition
  /** Revision of the copied persons; see `EventStore.personRevision`. */
  readonly revision: number
}

/** The state of a file. */
export interface OpenedFile {
  /** Number of stored events; infinite for a store that is opened for a few events, which does not count them. */
  readonly eventCount: number
  readonly progress: StoreProgress
  readonly columns: PropertyColumns
}

/** A part of a transaction. */
export interface PackedBatch {
  readonly events: PackedEvents
  /** Distinct id to person id. */
  readonly personIds: ReadonlyMap<string, string>
  readonly rejected: readonly RejectedRow[]
  /** See `PersonCopyUpdate.replacesAll`. */
  readonly replacesAll: boolean
  /** Persons and groups; null while they are kept for a later batch or the end of the transaction. */
  readonly persons: PackedPersons | null
}

/** The end of a transaction. */
export interface TransactionEnd {
  /** The changed persons and groups of the transaction, but for those of its batches. */
  readonly persons: PackedPersons
  readonly progress: StoreProgress
  /** Properties that are to get a column. */
  readonly properties: readonly string[]
}

/** Persons, groups and properties for their staging tables. */
export interface PackedPersons {
  readonly persons: readonly PackedRows[]
  /** Whether any of them has a `Person.publicId`. */
  readonly haveNames: boolean
  readonly groups: readonly PackedRows[]
  /** Properties of persons and groups that have none in `persons` and `groups`, because the store has the others. */
  readonly personChanges: readonly PackedRows[]
  readonly groupChanges: readonly PackedRows[]
  /** Whether there are such persons or groups, even without a changed property. */
  readonly keepProperties: boolean
}
