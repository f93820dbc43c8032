/**
 * The write-ahead store that all tabs share: events in capture order, and control records beside them.
 *
 * Keys sort as texts. Every method may reject when the platform fails; nothing is written in part: each call is one
 * transaction. Calls take effect in the order in which they were made.
 */
export interface EventStore {
  /** False for the memory adapter: what it holds dies with the page. */
  readonly durable: boolean
  /** Writes (or overwrites) records in one transaction; resolves when it has completed. An undefined value deletes. */
  write(records: readonly StoreEntry[]): Promise<void>
  /** Records with `from <= key < to`, in key order, at most `limit`. */
  read(from: string, to: string, limit: number): Promise<StoreRecord[]>
  /** Keys of all records with `from <= key < to`, in order. */
  keys(from: string, to: string): Promise<string[]>
  /**
   * Reads one record, lets `change` decide, and writes its answer, in one transaction; resolves to what then stands.
   * `change` must be synchronous. An undefined answer deletes the record.
   */
  update(key: string, change: (old: string | undefined) => string | undefined): Promise<string | undefined>
  /** Closes the connection; a later call opens it again. */
  close(): void
}

export interface StoreRecord {
  readonly key: string
  readonly value: string
}

export interface StoreEntry {
  readonly key: string
  /** Undefined deletes the record. */
  readonly value: string | undefined
}
