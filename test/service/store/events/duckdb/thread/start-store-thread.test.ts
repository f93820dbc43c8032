import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBuiltScript } from '../../../../../../src/service/find-built-script.ts'
import { QueryError } from '../../../../../../src/service/indexer/query-error.ts'
import type { StoreThread } from '../../../../../../src/service/store/events/duckdb/thread/start-store-thread.ts'
import { startStoreThread } from '../../../../../../src/service/store/events/duckdb/thread/start-store-thread.ts'
import { UnstorableError } from '../../../../../../src/service/store/events/event-store.ts'
import { positionAfterRow } from '../../../../../../src/service/store/row-position.ts'
import { batchOf, select, serviceEventStoreContract, storedEvent } from '../../../../../contract/service-event-store.ts'

const LIMITS = { memoryMb: 128, spillMb: 16, threads: 2 }

const openThread = () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-thread-'))
  const thread = startStoreThread(findBuiltScript('store-thread'))
  const messages: string[] = []
  return {
    thread,
    messages,
    fileOf: (projectId: number) => join(folder, `${projectId}.duckdb`),
    open: (projectId = 1) =>
      thread.open({ ...LIMITS, file: join(folder, `${projectId}.duckdb`), projectId }, (message) =>
        messages.push(message),
      ),
    async cleanUp() {
      await thread.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

serviceEventStoreContract(openThread)

describe('a thread of event stores', () => {
  let fixture: ReturnType<typeof openThread>
  let thread: StoreThread
  beforeEach(() => {
    fixture = openThread()
    thread = fixture.thread
  })
  afterEach(() => fixture.cleanUp())

  it('keeps the stores of projects apart', async () => {
    const stores = await Promise.all([fixture.open(1), fixture.open(2)])
    await Promise.all(
      stores.map((store, index) => store.commit(batchOf([storedEvent(1, { event: `event ${index}` })]))),
    )
    expect(await Promise.all(stores.map((store) => select(store, 'SELECT event FROM events')))).toEqual([
      [['event 0']],
      [['event 1']],
    ])
    await Promise.all(stores.map((store) => store.close()))
  })

  it('rejects with the errors of the store', async () => {
    const store = await fixture.open()
    await expect(select(store, 'SELECT nothing')).rejects.toThrow(QueryError)
    await expect(select(store, 'SELECT nothing')).rejects.toMatchObject({ code: 'invalid' })
    await expect(store.commit(batchOf([storedEvent(1, { uuid: 'no uuid' })]))).rejects.toThrow(UnstorableError)
    expect(store.position()).toEqual(positionAfterRow(0))
    await store.close()
    await expect(store.commit(batchOf([storedEvent(1)]))).rejects.toThrow('not open')
  })

  it('says which file is at fault, opens it after a repair, and continues with the other stores', async () => {
    const other = await fixture.open(2)
    writeFileSync(`${fixture.fileOf(1)}.uuids`, 'no database')
    const store = await fixture.open(1)
    expect(fixture.messages).toEqual([expect.stringContaining('.uuids')])
    await store.close()
    rmSync(fixture.fileOf(1))
    writeFileSync(fixture.fileOf(1), 'no database, but longer than the header of one: '.repeat(500))
    await expect(fixture.open(1)).rejects.toThrow('not a valid DuckDB database file')
    rmSync(fixture.fileOf(1))
    const repaired = await fixture.open(1)
    await Promise.all([repaired, other].map((each) => each.commit(batchOf([storedEvent(1)]))))
    await Promise.all([repaired, other].map((each) => each.close()))
  })

  it('cancels a query, and tells its progress before', async () => {
    const store = await fixture.open()
    await store.commit(batchOf(Array.from({ length: 100 }, (_, n) => storedEvent(n + 1))))
    const canceller = new AbortController()
    const sql = 'SELECT count(*) FROM events a, events b, events c, events d, events e, events f'
    const query = store.query(
      { sql, timeoutMs: 60_000, maxRows: 1 },
      { signal: canceller.signal, onProgress: () => canceller.abort() },
    )
    await expect(query).rejects.toMatchObject({ code: 'cancelled' })
    const aborted = store.query({ sql, timeoutMs: 60_000, maxRows: 1 }, { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ code: 'cancelled' })
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[100]])
    await store.close()
  })

  it('answers a ping while a query runs', async () => {
    const store = await fixture.open()
    const query = select(store, 'SELECT count(*) FROM range(1000000000000)')
    const ended = query.then(
      () => 'result',
      (error: unknown) => error,
    )
    await thread.ping()
    store.interrupt()
    expect(await ended).toMatchObject({ code: 'store_unavailable' })
    await store.close()
  })
})
