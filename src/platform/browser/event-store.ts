import { createStore, promisifyRequest } from 'idb-keyval'
import type { UseStore } from 'idb-keyval'
import type { Clock } from '../../port/clock.ts'
import type { EventStore } from '../../port/event-store.ts'

/** Browsers have been seen never to answer an open request, and a page that is busy at its start hears the answer seconds late. */
const OPEN_TIMEOUT_MS = 30_000

/** For a connection that is open already. */
const CALL_TIMEOUT_MS = 2_000

/** The connection went away under a call (closed by the browser, site data cleared): the call can be made again. */
const CONNECTION_LOST = /^(InvalidState|Abort|Unknown)Error$/

/**
 * The event store in IndexedDB, one database with one object store per name.
 *
 * Rejects when the database does not open within 30 s, or not at all. A transaction of an open
 * database starts in microtasks, so that what is begun while the page goes away commits.
 *
 * @param onLost Called when the open database is deleted: what it held is gone, and the next call makes a new one.
 */
export const openEventStore = async (
  name: string,
  clock: Clock,
  onLost: () => void = () => {},
): Promise<EventStore> => {
  let use: UseStore | undefined
  let close = (): void => {}

  const run = async <T>(
    mode: IDBTransactionMode,
    work: (records: IDBObjectStore) => Promise<T>,
    isSecond?: boolean,
  ): Promise<T> => {
    const timeoutMs = use ? CALL_TIMEOUT_MS : OPEN_TIMEOUT_MS
    const used = (use ??= createStore(name, 'records'))
    let cancel!: () => void
    const tooLate = new Promise<never>((_, reject) => {
      cancel = clock.after(timeoutMs, () => reject(new Error('IndexedDB did not open in time')))
    })
    const open = (records: IDBObjectStore): Promise<T> => {
      cancel()
      const { db } = records.transaction
      close = () => {
        db.close()
        if (use === used) use = undefined
      }
      // Another tab deletes the database, and to stay open would keep it waiting; or the browser has cleared the site's data.
      const lost = (): void => {
        close()
        onLost()
      }
      db.onversionchange = lost
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- set again at each call, and in place of the handler of idb-keyval
      db.onclose = lost
      return work(records)
    }
    try {
      return await Promise.race([used(mode, open), tooLate])
    } catch (error) {
      if (isSecond || !CONNECTION_LOST.test(String((error as Error | null)?.name))) throw error
      if (use === used) use = undefined
      return await run(mode, work, true)
    } finally {
      cancel()
    }
  }

  const change = (records: IDBObjectStore, key: string, value: string | undefined): void => {
    if (value === undefined) records.delete(key)
    else records.put(value, key)
  }
  /** The platform refuses an empty range, so nothing is asked for one. */
  const scan = <T>(
    from: string,
    to: string,
    work: (records: IDBObjectStore, range: IDBKeyRange) => Promise<T[]>,
  ): Promise<T[]> =>
    from < to
      ? run('readonly', (records) => work(records, IDBKeyRange.bound(from, to, false, true)))
      : Promise.resolve([])

  const keys: EventStore['keys'] = (from, to) =>
    scan(from, to, (records, range) => promisifyRequest(records.getAllKeys(range) as IDBRequest<string[]>))

  await keys('', '\0')

  return {
    write: (entries) =>
      run('readwrite', (records) => {
        const { transaction } = records
        for (const { key, value } of entries) change(records, key, value)
        // Without it the transaction waits for events of a page that may be gone by then.
        transaction.commit?.()
        return promisifyRequest(transaction)
      }),
    // Both lists in one transaction are several times faster than a cursor, which returns to the page for every record.
    read: (from, to, limit) =>
      scan(from, to, async (records, range) => {
        const [keys, values] = await Promise.all([
          promisifyRequest(records.getAllKeys(range, limit) as IDBRequest<string[]>),
          promisifyRequest(records.getAll(range, limit) as IDBRequest<string[]>),
        ])
        return keys.map((key, at) => ({ key, value: values[at]! }))
      }),
    keys,
    close: () => close(),
  }
}
