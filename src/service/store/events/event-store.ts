import type { QueryRequest, QueryResult } from '../../indexer/indexer.ts'
import type { Group, Person } from '../../persons/person.ts'
import type { RowPosition } from '../row-position.ts'

/**
 * The events of one project, with a copy of its persons and groups beside them for queries. One writer: the indexer. What
 * one `commit` brings is there whole or not at all, whenever the process ends.
 */
export interface EventStore {
  /** How far everything is stored; the start (row 0) for a new store. */
  position(): RowPosition
  /** The revision of the persons that it has a copy of (`PersonMirror.revision`); 0 for a new store. */
  personRevision(): number
  /**
   * Which of these events are not new: stored before, or repeated in the list. An event that was asked for and not
   * committed is not a duplicate of itself when its inbox row is read again.
   */
  duplicates(events: readonly EventIdentity[]): Promise<ReadonlySet<EventIdentity>>
  /** Whether a commit of these events would not fail by their fault. Stores nothing. */
  holds(events: readonly StoredEvent[]): Promise<boolean>
  /** Rejects with `UnstorableError` when the batch itself is at fault: the same again would fail the same way. */
  commit(batch: EventBatch): Promise<void>
  /** One SELECT over `events`, `persons`, `person_distinct_ids` and `groups`. Rejects with `QueryError`. */
  query(request: Omit<QueryRequest, 'projectId'>): Promise<QueryResult>
  /** Ends running queries; later ones are refused. */
  interrupt(): void
  /** Waits for a running commit; interrupts running queries. */
  close(): Promise<void>
}

/** What tells one event from all others: its uuid, and the place in the inbox it came from. */
export interface EventIdentity {
  /** Lower case. */
  readonly uuid: string
  readonly inboxRow: number
  /** Place in the request. */
  readonly index: number
}

/** An event as it is stored. Times in milliseconds since 1970. */
export interface StoredEvent extends EventIdentity {
  readonly event: string
  readonly distinctId: string
  readonly timestamp: number
  readonly receivedAt: number
  /** True for an event of an import (`historical_migration`). */
  readonly isHistorical: boolean
  /** JSON text of an object. */
  readonly properties: string
}

/** What one commit brings. */
export interface EventBatch {
  /** How far everything will be stored. */
  readonly position: RowPosition
  /** Without duplicates. */
  readonly events: readonly StoredEvent[]
  readonly persons: PersonMirror
  readonly rejected: readonly RejectedRow[]
}

/** Persons and groups as they are now in the metadata. Applying it twice is applying it once. */
export interface PersonMirror {
  readonly persons: readonly Person[]
  /** Distinct id to person id. */
  readonly distinctIds: ReadonlyMap<string, string>
  readonly groups: readonly Group[]
  /** Which state of the metadata's persons the copy has with them; left out where that is as before. */
  readonly revision?: number
  /** Whether all persons and groups of before are forgotten first. Default: false. */
  readonly isWhole?: boolean
}

/** Nothing new of anybody. */
export const NO_PERSONS: PersonMirror = { persons: [], distinctIds: new Map(), groups: [] }

/**
 * An inbox row that cannot be read (a damaged file) or stored, whole or in part as the reason says: kept for the operator,
 * so that it does not stop the rows after it.
 */
export interface RejectedRow {
  readonly inboxRow: number
  readonly receivedAt: number
  readonly reason: string
  readonly form: string
  readonly body: Uint8Array
}

/** The store works, but cannot take a batch as it is. */
export class UnstorableError extends Error {
  /** `content`: no store will ever hold it. `memory`: it may fit in parts, or later. */
  readonly reason: 'content' | 'memory'

  constructor(reason: 'content' | 'memory', cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'UnstorableError'
    this.reason = reason
  }
}
