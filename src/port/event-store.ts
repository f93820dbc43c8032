/**
 * The write-ahead store that all tabs share: events in capture order, and control records beside them.
 *
 * Keys sort as texts. Every method may reject when the platform fails; nothing is written in part: each call is one
 * transaction. Calls take effect in the order in which they were made.
 */
export interface EventStore {
  /** Writes (or overwrites) records in one transaction; resolves when it has completed. An undefined value deletes. */
  write(records: readonly StoreEntry[]): Promise<void>
  /** Records with `from <= key < to`, in key order, at most `limit`. */
  read(from: string, to: string, limit: number): Promise<StoreRecord[]>
  /** Keys of all records with `from <= key < to`, in order. */
  keys(from: string, to: string): Promise<string[]>
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
