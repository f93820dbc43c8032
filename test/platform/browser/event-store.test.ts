import 'fake-indexeddb/auto'
import { createStore, promisifyRequest } from 'idb-keyval'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClock } from '../../../src/platform/web/clock.ts'
import { openEventStore } from '../../../src/platform/browser/event-store.ts'
import { eventStoreContract } from '../../contract/event-store.ts'
import { manualClock } from '../../support/manual-clock.ts'

let openCount = 0
const open = (name = `test ${++openCount}`) => openEventStore(name, createClock())

eventStoreContract('IndexedDB', () => open())

afterEach(() => vi.unstubAllGlobals())

/** The current connection of the store under test. */
const spyConnection = () => {
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction')
  return () => spy.mock.contexts.at(-1) as IDBDatabase
}

describe('the IndexedDB event store', () => {
  it('shares its records with other tabs, and keeps them', async () => {
    const [first, second] = [await open('shared'), await open('shared')]
    await first.write([['a', '1']])
    expect(await second.keys('', 'b')).toEqual(['a'])
    first.close()
    second.close()
    const third = await open('shared')
    expect(await third.keys('', 'b')).toEqual(['a'])
    third.close()
  })

  it('opens without a transaction', async () => {
    const first = await open('opened again')
    first.close()
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
    const second = await open('opened again')
    expect(transaction).not.toHaveBeenCalled()
    transaction.mockRestore()
    second.close()
  })

  it('starts a write in microtasks when it is open', async () => {
    const store = await open()
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
    const write = store.write([['a', '1']])
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    expect(transaction).toHaveBeenCalledTimes(1)
    await write
    store.close()
  })

  it('lets another tab delete the database, and then creates a new database', async () => {
    let losses = 0
    const store = await openEventStore('deleted', createClock(), () => losses++)
    await store.write([['a', '1']])
    expect(losses).toBe(0)
    await promisifyRequest(indexedDB.deleteDatabase('deleted') as IDBRequest)
    await store.write([['b', '2']])
    expect(await store.keys('', 'c')).toEqual(['b'])
    expect(losses).toBe(1)
    store.close()
  })

  it('retries calls in order after the browser has closed the connection', async () => {
    const connection = spyConnection()
    const store = await open()
    await store.keys('', 'b')
    connection().close()
    const [, , keys] = await Promise.all([
      store.write([['a', '1']]),
      store.write([['a', undefined]]),
      store.keys('', 'b'),
    ])
    expect(keys).toEqual([])
    store.close()
  })

  it('rejects after 30 s without an open database, and recovers when it opens later', async () => {
    const clock = manualClock()
    const realIndexedDB = indexedDB
    const delayedSuccesses: (() => void)[] = []
    vi.stubGlobal('indexedDB', {
      open(name: string) {
        const request = realIndexedDB.open(name)
        const fakeRequest: Record<string, unknown> = {}
        request.addEventListener('upgradeneeded', () => (fakeRequest.onupgradeneeded as () => void)())
        request.addEventListener('success', () => delayedSuccesses.push(() => (fakeRequest.onsuccess as () => void)()))
        return Object.defineProperty(fakeRequest, 'result', { get: () => request.result })
      },
    })
    const rejection = expect(openEventStore('slow', clock)).rejects.toThrow('timeout')
    await clock.advance(29_999)
    expect(clock.pending()).toBe(1)
    await clock.advance(1)
    await rejection
    await expect.poll(() => delayedSuccesses).toHaveLength(1)
    vi.unstubAllGlobals()
    const store = await open('slow')
    delayedSuccesses[0]!()
    expect(await store.keys('', 'z')).toEqual([])
    store.close()
  })

  it('rejects without IndexedDB, and leaves no timer', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const clock = manualClock()
    await expect(openEventStore('none', clock)).rejects.toThrow()
    expect(clock.pending()).toBe(0)
  })

  it('rejects a write that exceeds the quota without a retry', async () => {
    const store = await open()
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    await expect(store.write([['a', '1']])).rejects.toThrow('full')
    expect(put).toHaveBeenCalledTimes(1)
    put.mockRestore()
    expect(await store.keys('', 'z')).toEqual([])
    store.close()
  })

  it('leaves no timer after its calls', async () => {
    const clock = manualClock()
    const store = await openEventStore('timers', clock)
    await store.write([['a', '1']])
    expect(clock.pending()).toBe(0)
    store.close()
  })

  describe('a database without its object store', () => {
    /** Creates a database as a tool does that opens every database. */
    const createEmpty = async (name: string): Promise<void> => {
      const database = await promisifyRequest(indexedDB.open(name))
      database.close()
    }

    it('is mended, and keeps its records', async () => {
      await createEmpty('empty')
      const store = await open('empty')
      await store.write([['a', '1']])
      store.close()
      const later = await open('empty')
      expect(await later.read('', 'z', 9)).toEqual([['a', '1']])
      later.close()
    })

    it('is mended by several tabs at the same time, and loses no record of the first', async () => {
      await createEmpty('empty twice')
      const tabs = await Promise.all([open('empty twice'), open('empty twice'), open('empty twice')])
      for (const [index, tab] of tabs.entries()) await tab.write([[`k${index}`, '']])
      expect(await tabs[2].keys('', 'z')).toEqual(['k0', 'k1', 'k2'])
      for (const tab of tabs) tab.close()
    })

    it('is mended when it appears while the store is in use', async () => {
      const store = await open('emptied')
      await promisifyRequest(indexedDB.deleteDatabase('emptied') as IDBRequest)
      await createEmpty('emptied')
      await store.write([['a', '1']])
      expect(await store.keys('', 'z')).toEqual(['a'])
      store.close()
    })

    it('is left alone when another program keeps it open', async () => {
      const database = await promisifyRequest(indexedDB.open('held'))
      const clock = manualClock()
      const opening = expect(openEventStore('held', clock)).rejects.toThrow('timeout')
      await expect.poll(async () => (await clock.advance(30_000), clock.pending())).toBe(0)
      await opening
      database.close()
    })
  })

  it('reads records of idb-keyval: one value per key', async () => {
    const store = await open('plain')
    await createStore('plain', 'records')('readwrite', (records) => promisifyRequest(records.put('1', 'a')))
    expect(await store.read('', 'z', 9)).toEqual([['a', '1']])
    store.close()
  })
})
