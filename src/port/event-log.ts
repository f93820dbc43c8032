/**
 * Where the events of a server wait, oldest first, each as its final JSON: in memory, or in files that outlive the process. One reader
 * at a time. Nothing throws: what cannot be kept is dropped with its reason.
 */
export interface EventLog {
  /** Takes one event. A durable log has handed it to the operating system when the running event-loop turn ends. */
  append(json: string): void
  /**
   * The oldest events, at most `maxEvents` of at most `maxLength` characters together (a single one that is longer comes alone); undefined when
   * none waits. They may be fewer than that: what lies in a further file comes with the next run. The same ones come again until they are
   * removed; until then they do not overflow.
   */
  take(maxEvents: number, maxLength: number): Promise<EventRun | undefined>
  /** How many wait, those of a run that was taken among them; of earlier processes' events as far as they are known by now. */
  size(): number
  /** Hands over what still is in this process, at once: the last synchronous work of a process that exits. */
  writeNow(): void
  /** Resolves when what was appended before is safe: on disk where the log is durable. */
  settled(): Promise<void>
  /**
   * Ends the log; what waits stays for the next process where the log is durable. Answers the events that end with it. Called once more for what was
   * appended after it, at the end of the process.
   */
  close(): readonly string[]
}

/** The oldest events of a log. */
export interface EventRun {
  readonly events: readonly string[]
  /** Forgets them for good: delivered, or dropped. */
  remove(): void
}

/** How much may wait. Beyond either bound the oldest events are dropped. */
export interface EventLogBounds {
  readonly maxEvents: number
  /** Characters of JSON; bytes where the log is in files. */
  readonly maxLength: number
}
