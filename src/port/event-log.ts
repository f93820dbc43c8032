/**
 * The Node agent's queue of events, oldest first, each as its final JSON: in memory, or in files that outlive the process. It has one
 * reader at a time. No method throws: an event that cannot be kept is dropped with a reason.
 */
export interface EventLog {
  /** Adds one event. A durable log passes it to the operating system before the current event-loop turn ends. */
  append(json: string): void
  /**
   * Reads the oldest events: at most `maxEvents` of at most `maxLength` characters together. A longer first event comes alone. A log in
   * files may return fewer, because a batch never spans two files. Undefined when the log is empty. Returns the same events until they are
   * removed. Events of a batch that was read are not dropped when the log is full.
   */
  readOldest(maxEvents: number, maxLength: number): Promise<EventBatch | undefined>
  /** Number of events in the log, including a batch that was read. Includes events of earlier processes once the log has found them. */
  size(): number
  /** Writes all events that are only in memory, synchronously. For a process that exits. */
  writeSync(): void
  /** Resolves when all earlier events are safe: on disk if the log is durable. */
  whenDurable(): Promise<void>
  /**
   * Closes the log, and returns the events that are lost with it. A durable log keeps its events for the next process. May be called again
   * for events that were appended after the first call.
   */
  close(): readonly string[]
}

/** The oldest events of a queue. */
export interface EventBatch {
  readonly events: readonly string[]
  /** Removes these events for good, because they were delivered or dropped. */
  remove(): void
}

/** Limits of a log. Beyond either limit the oldest events are dropped. */
export interface EventLogLimits {
  readonly maxEvents: number
  /** Bytes of JSON in UTF-8. */
  readonly maxBytes: number
}
