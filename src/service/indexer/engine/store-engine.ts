import type { EventStore } from '../../store/events/event-store.ts'

/** The database in which the event stores of all projects are. */
export interface StoreEngine {
  /**
   * Opens or creates a project's event store. Rejects with nothing left open, so that it can be retried.
   *
   * @param isBrief Whether only a few events are written, and no question is asked, before it is closed again.
   */
  open(projectId: number, isBrief: boolean): Promise<EventStore>
  /** Whether a project's store is there; true if only the server knows. */
  readonly hasStore: (projectId: number) => boolean
  /** The projects whose stores are known to be there. */
  readonly listStores: () => readonly number[]
  /** The file or database of a project, for messages. */
  readonly placeOf: (projectId: number) => string
  /** How an operator can store a row that was quarantined because it ends the indexer process each time. */
  readonly describeRecovery: (projectId: number) => string
  /** Whether the error of a query says that its store must be opened again. */
  readonly isInvalidated: (error: unknown) => boolean
  /** Whether a store must be opened again after events could not be stored, because of this error. */
  readonly mustReopen: (error: unknown) => boolean
  /** Resolves unless native code blocks the engine. */
  ping(): Promise<void>
  /** Frees everything. Close the stores before. */
  stop(): Promise<void>
}
