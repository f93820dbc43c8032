import { promisifyRequest } from 'idb-keyval'
import type { Clock } from '../../port/clock.ts'
import type { EventStore, StoreEntry } from '../../port/event-store.ts'
import { noop } from '../../lib/noop.ts'

/** Some browsers never answer an open request, and a page that is busy at its start gets the answer seconds late. */
const OPEN_TIMEOUT_MS = 30_000

/** Limit for a call on an open connection. */
const CALL_TIMEOUT_MS = 2_000

/** The object store of the database. */
const RECORDS = 'records'

/** The object store is missing: an upgrade was interrupted, or a tool that opens every database has created this one. */
const STORE_MISSING = 'NotFoundError'

/** The connection was lost during a call (closed by the browser, site data cleared), so the call can be retried. */
const CONNECTION_LOST = /^(InvalidState|Abort|Unknown)Error$/

/**
 * Opens the event store in IndexedDB: one database with one object store. Mends a database that lacks it.
 *
 * Rejects when the database does not open within 30 s. A transaction of an open database starts in microtasks, so that writes begun during
 * `pagehide` still commit. Opening begins no transaction: each costs a page that starts several tasks.
 *
 * @param name Name of the database.
 * @param onLost Called when the open database was deleted with its records; the next call creates a new one.
 */
export const openEventStore = async (name: string, clock: Clock, onLost: () => void = noop): Promise<EventStore> => {
  let connection: Promise<IDBDatabase> | undefined
  let close = noop
  /** The version that the next connection makes of the database. Undefined: the one that it has. */
  let nextVersion: number | undefined

  const connect = (): Promise<IDBDatabase> => {
    const request = globalThis.indexedDB.open(name, nextVersion)
    nextVersion = undefined
    request.onupgradeneeded = () => request.result.createObjectStore(RECORDS)
    return promisifyRequest(request)
  }

  /** Does work with the connection. Retries it once on another connection if this one was lost, or its database was mended. */
  const withConnection = async <T>(work: (db: IDBDatabase) => Promise<T>, isRetry?: boolean): Promise<T> => {
    const timeoutMs = connection ? CALL_TIMEOUT_MS : OPEN_TIMEOUT_MS
    const current = (connection ??= connect())
    // Not `withTimeout`: the limit ends when the transaction has begun, however long its work takes.
    let cancel!: () => void
    const timeout = new Promise<never>((_, reject) => {
      cancel = clock.after(timeoutMs, () => reject(new Error('timeout')))
    })
    const forget = (): void => {
      if (connection === current) connection = undefined
    }
    const begin = (db: IDBDatabase): Promise<T> => {
      cancel()
      close = () => {
        db.close()
        forget()
      }
      // Another tab deletes the database and waits for this connection to close, or the browser has cleared the site's data.
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- replaces the handlers of the last call
      db.onversionchange = db.onclose = () => {
        close()
        onLost()
      }
      return work(db)
    }
    current.catch(forget)
    try {
      return await Promise.race([current.then(begin), timeout])
    } catch (error) {
      const reason = (error as Error | null)?.name as string
      const isStoreMissing = reason === STORE_MISSING
      if (isRetry || !(isStoreMissing || CONNECTION_LOST.test(reason))) throw error
      if (isStoreMissing) {
        // A new version, because a deletion would take the records of a tab that has mended the database meanwhile.
        nextVersion = (await current).version + 1
        close()
      }
      forget()
      return await withConnection(work, true)
    } finally {
      cancel()
    }
  }

  const run = <T>(mode: IDBTransactionMode, work: (records: IDBObjectStore) => Promise<T>): Promise<T> =>
    withConnection((db) => work(db.transaction(RECORDS, mode).objectStore(RECORDS)))

  const put = (records: IDBObjectStore, entries: readonly StoreEntry[]): Promise<void> => {
    for (const [key, value] of entries) {
      if (value === undefined) records.delete(key)
      else records.put(value, key)
    }
    // Without it the commit waits for the event loop of a page that may be gone by then.
    records.transaction.commit?.()
    return promisifyRequest(records.transaction)
  }

  /** Resolves to an empty list for an empty range, because `IDBKeyRange.bound` throws for it. */
  const scan = <T>(
    from: string,
    to: string,
    work: (records: IDBObjectStore, range: IDBKeyRange) => Promise<T[]>,
  ): Promise<T[]> =>
    from < to
      ? run('readonly', (records) => work(records, IDBKeyRange.bound(from, to, false, true)))
      : Promise.resolve([])

  await withConnection(async (db) => {
    if (!db.objectStoreNames.contains(RECORDS)) throw new DOMException('', STORE_MISSING)
  })

  return {
    write: (entries) => run('readwrite', (records) => put(records, entries)),
    update: (key, change) =>
      run('readwrite', async (records) => put(records, change(await promisifyRequest(records.get(key))))),
    // Two lists in one transaction are several times faster than a cursor, which needs a task for every record.
    read: (from, to, limit) =>
      scan(from, to, async (records, range) => {
        const [keys, values] = await Promise.all([
          promisifyRequest(records.getAllKeys(range, limit) as IDBRequest<string[]>),
          promisifyRequest(records.getAll(range, limit) as IDBRequest<string[]>),
        ])
        return keys.map((key, index) => [key, values[index]!])
      }),
    keys: (from, to) =>
      scan(from, to, (records, range) => promisifyRequest(records.getAllKeys(range) as IDBRequest<string[]>)),
    close: () => close(),
  }
}
