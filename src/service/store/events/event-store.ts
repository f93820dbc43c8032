import type { JsonObject } from '../../../wire/json.ts'
import type { QuestionMethods } from '../../insight/question/questions.ts'
import type { JsonMembers } from '../../json/json-members.ts'
import type { Group, Person } from '../../persons/person.ts'
import type { RowPosition } from '../row-position.ts'

/**
 * The events of one project, with a copy of its persons and groups for queries. The indexer (the process that stores
 * events) is the only writer. A `commit` is atomic, even if the process ends during it. Questions are answered from what is
 * committed.
 */
export interface EventStore extends QuestionMethods {
  /** The position up to which everything is stored; row 0 for a new store. */
  position(): RowPosition
  /** The revision of the copied persons (`PersonCopyUpdate.revision`); 0 for a new store. */
  personRevision(): number
  /**
   * Finds the events whose uuid is already stored or occurs earlier in the list. An event that was checked but not committed
   * is not a duplicate when its inbox row is read again.
   */
  findDuplicates(events: readonly EventIdentity[]): Promise<ReadonlySet<EventIdentity>>
  /**
   * Whether these events can be committed: tries it and rolls back, with what was added. False only if the events are at
   * fault.
   */
  canStore(events: readonly StoredEvent[]): Promise<boolean>
  /**
   * Adds a batch to the next commit, which costs much less than a commit of its own. Only `findDuplicates` sees it before.
   * Rejects as `commit` does, for this batch or an earlier one: the store may write a batch after its call has ended.
   */
  add(batch: EventBatch): Promise<void>
  /**
   * Stores the added batches, and then `batch`, in one transaction. Rejects with `UnstorableError` if a batch is at fault, so
   * that a retry would fail too; the added batches are then discarded. Rejects with `FailedCommitError` for lack of memory. Batches may be
   * added while it runs, for the next commit, which must wait until this one has ended.
   */
  commit(batch?: EventBatch): Promise<void>
  /** Discards the added batches. */
  discard(): Promise<void>
  /** Interrupts running queries and refuses new ones. */
  interrupt(): void
  /** Interrupts running queries, waits for a running commit, then closes the store. */
  close(): Promise<void>
}

/** Identifies an event by its uuid and by its place in the inbox. */
export interface EventIdentity {
  /** In lower case. */
  readonly uuid: string
  readonly inboxRow: number
  /** Index in the request. */
  readonly index: number
}

/** An event as it is stored. Times are milliseconds since 1970. */
export interface StoredEvent extends EventIdentity {
  readonly event: string
  readonly distinctId: string
  readonly timestamp: number
  readonly receivedAt: number
  /** True for an event of an import (`historical_migration`). */
  readonly isHistorical: boolean
  readonly properties: EventProperties
}

/** The properties of an event. Those of usual requests are not parsed. */
export type EventProperties = JsonObject | JsonMembers

/** The content of one commit. */
export interface EventBatch {
  /** The position after this commit. */
  readonly position: RowPosition
  /** Must not include duplicates. */
  readonly events: readonly StoredEvent[]
  readonly persons: PersonCopyUpdate
  readonly rejected: readonly RejectedRow[]
}

/**
 * An update of the store's copy of persons and groups: their current state in the metadata. Writing the same update twice
 * has no further effect.
 */
export interface PersonCopyUpdate {
  readonly persons: readonly Person[]
  /** Distinct id to person id. */
  readonly distinctIds: ReadonlyMap<string, string>
  readonly groups: readonly Group[]
  /**
   * For persons (by id) and groups (by `groupKey`) whose other properties the store has: the names of those to write, or to remove where the
   * person has none. Default: all properties of all.
   */
  readonly changedNames?: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /**
   * The keys of persons and groups of which earlier updates may have written changes by `changedNames`, among those that are written as a
   * whole and persons who were merged into others. Default: all of them.
   */
  readonly changedBefore?: ReadonlySet<string> | undefined
  /**
   * The metadata's person revision after this update: a number that grows with each change of the project's persons.
   * Default: unchanged.
   */
  readonly revision?: number
  /** Whether all copied persons and groups are deleted first. Default: false. */
  readonly replacesAll?: boolean
}

/** An update that changes nothing. */
export const NO_PERSON_UPDATE: PersonCopyUpdate = { persons: [], distinctIds: new Map(), groups: [] }

/**
 * An inbox row that cannot be parsed (a damaged file) or stored, wholly or in part. It is kept with its reason for the
 * operator, so that it does not block the rows after it.
 */
export interface RejectedRow {
  readonly inboxRow: number
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly reason: string
  /** See `AcceptedRequest.form`. */
  readonly form: string
  readonly body: Uint8Array
}

/** Thrown when the store works but cannot store a batch. */
export class UnstorableError extends Error {
  /** `content`: the batch can never be stored. `memory`: it may be stored in smaller parts, or later. */
  readonly reason: 'content' | 'memory'

  constructor(reason: 'content' | 'memory', cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'UnstorableError'
    this.reason = reason
  }
}

/**
 * Thrown when a commit failed for lack of memory. The store must be closed and opened again: DuckDB may have kept rows of the commit in
 * memory, and then fails at the next one. The file is as before the commit, or has all of it.
 */
export class FailedCommitError extends Error {
  override readonly name = 'FailedCommitError'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
