/**
 * Where requests rest between their acknowledgement and their indexing. One row holds one request, its body as received.
 * The front appends and deletes, the indexer (another process) reads.
 */
export interface Inbox {
  /** Resolves to the row's id once the row is on disk; all rows of one event-loop turn share one commit. Rejects when the disk refuses. */
  append(request: AcceptedRequest): Promise<number>
  /**
   * Rows with an id above `id`, in order: at most `maxRows`, and no further row once `maxBytes` of bodies are reached, or
   * before one that cannot be read. Throws when that is the first.
   */
  readAfter(id: number, maxRows: number, maxBytes: number): InboxRow[]
  /** Deletes at most `most` rows up to and including `id`; answers how many. */
  deleteThrough(id: number, most: number): number
  /** Rows above `id`: how many, and when the oldest was received (ms since 1970), or null. */
  backlogAfter(id: number): { readonly rows: number; readonly oldestReceivedAt: number | null }
  /**
   * Called once, before the first append, with an id that every earlier row of this data folder is at or below, also where
   * the file is an older one or new: rows go on above it. Answers the last id that is taken.
   */
  startAbove(mark: number): number
  /** The last id that was given, or that rows go on above. */
  lastGiven(): number
  /**
   * Gives all rows of a project new ids above `mark` and above all others, in their order, and lets later rows go on above
   * them. Answers the last id that is taken.
   */
  moveAbove(projectId: number, mark: number): number
  /**
   * Writes as much as was refused last, or a little, and takes it back; throws when the disk refuses, and once a row could not
   * be added because the file is damaged. `now`: ms since 1970.
   */
  probe(now: number): void
  /** Bytes that hold rows; the file itself may be larger and shrinks never. */
  usedBytes(): number
  close(): void
}

/** A request that was validated and will be acknowledged. */
export interface AcceptedRequest {
  readonly projectId: number
  /** Milliseconds since 1970 by the service's clock. */
  readonly receivedAt: number
  /** Address of the client, for geo properties; null when unknown. */
  readonly address: string | null
  /** The headers and query parameters that say how the body is to be read (`ingest/body.ts`), as JSON. */
  readonly form: string
  readonly body: Uint8Array
}

/** `id` only grows and is never given twice, not even after a deletion. */
export interface InboxRow extends AcceptedRequest {
  readonly id: number
}
