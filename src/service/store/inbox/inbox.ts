/**
 * Stores requests from their acknowledgement until they are indexed. One row is one request, with its body as received. The
 * front (the HTTP process) appends and deletes rows; the indexer, another process, reads them.
 */
export interface Inbox {
  /**
   * Resolves to the row's id once the row is on the disk. All rows of one event-loop turn share one commit. Rejects when the
   * disk refuses the write.
   *
   * @param eventCount Number of events in the request, for `backlogAfter`. Default: 1.
   */
  append(request: AcceptedRequest, eventCount?: number): Promise<number>
  /**
   * Reads rows with ids above `id`, in order: at most `maxRows`, and no further row once their bodies have `maxBytes`. Stops
   * before a row that cannot be read; throws if that is the first one.
   */
  readAfter(id: number, maxRows: number, maxBytes: number): InboxRow[]
  /** Reads rows of other projects, as `readAfter` does. The bodies of the project's own rows are not read. */
  readOthersAfter(range: OtherRows, maxRows: number, maxBytes: number): InboxRow[]
  /** Deletes rows up to and including `id`, at most `maxRows`. Returns the number of deleted rows. */
  deleteThrough(id: number, maxRows: number): number
  /** Counts the rows above `id` and their events. */
  backlogAfter(id: number): Backlog
  /**
   * Lets new rows get ids above `watermark`. Call it once before the first append, with an id that no earlier row of the data
   * folder exceeds: the inbox file may be new or an old backup. Returns the last id that is taken.
   */
  continueAbove(watermark: number): number
  /** The last id that was assigned or skipped; new rows get higher ids. */
  lastAssignedId(): number
  /**
   * Gives all rows of a project new ids above `watermark` and above all other rows, in the same order. Later rows get higher
   * ids. Returns the last id that is taken.
   */
  renumberAbove(projectId: number, watermark: number): number
  /**
   * Tests the disk: writes as many bytes as the last refused append had, or a few, and removes them again. Throws when the
   * disk refuses them, when the file was deleted or replaced, or after an append failed because it is damaged.
   *
   * @param now milliseconds since 1970.
   */
  probe(now: number): void
  /** Throws `ReplacedFileError` when the files of the inbox were deleted or replaced: nothing is acknowledged then. */
  checkFiles(): void
  /** The requests of a project with ids above `row` that were deleted because they are stored; null if there are none. */
  storedAfter(projectId: number, row: number): StoredRequests | null
  /** The projects of requests that were deleted because they are stored. */
  storedProjects(): readonly number[]
  /** Bytes that rows occupy. The file itself may be larger and never shrinks. */
  usedBytes(): number
  close(): void
}

/** A range of rows without those of one project. */
export interface OtherRows {
  readonly after: number
  /** The last id of the range. */
  readonly through: number
  /** Whose rows are left out. */
  readonly projectId: number
}

/** Rows that are not indexed yet. */
export interface Backlog {
  readonly rows: number
  /** Rows of a file of an earlier version, or of a salvaged one, count as one event each. */
  readonly events: number
  /** When the oldest row was received, in milliseconds since 1970; null if there is none. */
  readonly oldestReceivedAt: number | null
}

/** Requests that an event store must have, because the inbox no longer has them. */
export interface StoredRequests {
  readonly requests: number
  /** Whether it is their number; otherwise there may be more. */
  readonly isExact: boolean
  /** The id of the last one. */
  readonly lastRow: number
}

/** The backlog without a row. */
export const NO_BACKLOG: Backlog = { rows: 0, events: 0, oldestReceivedAt: null }

/** A validated request, before its acknowledgement. */
export interface AcceptedRequest {
  readonly projectId: number
  /** Milliseconds since 1970 by the service's clock. */
  readonly receivedAt: number
  /** IP address of the client, for geo properties; null when unknown. */
  readonly address: string | null
  /** JSON of the headers and query parameters that say how to decode the body (`ingest/decode-body.ts`). */
  readonly form: string
  readonly body: Uint8Array
}

/** A stored request. Ids only grow and are never reused, even after a deletion. */
export interface InboxRow extends AcceptedRequest {
  readonly id: number
}
