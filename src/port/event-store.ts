/**
 * The store that all tabs of a site share: events in capture order, and a few control records. Keys sort as strings.
 *
 * Each call is one transaction: it writes all of its records or none, and rejects when the platform fails. Calls take effect in the order
 * in which they were made.
 */
export interface EventStore {
  /** Writes or overwrites records; an undefined value deletes. Resolves when the transaction has completed. */
  write(records: readonly StoreEntry[]): Promise<void>
  /**
   * Reads one record, and writes the records that `change` returns for its value (undefined: there is none), all in one transaction.
   *
   * @param change Called again if the transaction is repeated, and in an app perhaps after this has rejected. When it throws, nothing is written.
   */
  update(key: string, change: (value: string | undefined) => readonly StoreEntry[]): Promise<void>
  /** Records with `from <= key < to`, in key order, at most `limit`. */
  read(from: string, to: string, limit: number): Promise<StoreRecord[]>
  /** Keys of all records with `from <= key < to`, in order. */
  keys(from: string, to: string): Promise<string[]>
  /** Closes the connection. A later call opens it again. */
  close(): void
}

export type StoreRecord = readonly [key: string, value: string]

/** An undefined value deletes the record. */
export type StoreEntry = readonly [key: string, value: string | undefined]
