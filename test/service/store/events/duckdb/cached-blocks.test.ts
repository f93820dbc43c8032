import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCachedBlocks } from '../../../../../src/service/store/events/duckdb/cached-blocks.ts'
import type { CachedBlocks } from '../../../../../src/service/store/events/duckdb/cached-blocks.ts'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import type { EventFile } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { batchOf, select, storedEvent } from '../../../../contract/service-event-store.ts'
import { openTestEventStore } from '../../../support/event-store.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

type Connection = Awaited<ReturnType<EventFile['connect']>>

const LIMITS = { memoryMb: 400, spillMb: 0, threads: 1 }

describe('cached blocks', () => {
  let instance: EventFile
  let connection: Connection
  let blocks: CachedBlocks
  const readOne = async (sql: string): Promise<unknown> => (await connection.runAndReadAll(sql)).getRows()[0]![0]
  const cachedMegabytes = async (): Promise<number> =>
    Number(await readOne("SELECT memory_usage_bytes // 1_000_000 FROM duckdb_memory() WHERE tag = 'BASE_TABLE'"))

  beforeEach(async () => {
    instance = await openInstance(join(createTempFolder(), '1.duckdb'), LIMITS)
    connection = await instance.connect()
    blocks = createCachedBlocks(connection, { ...LIMITS, freeAfterEvents: 1000 })
    // 100 MB that no way of compression makes smaller.
    await connection.run('CREATE TABLE numbers AS SELECT hash(n) AS a, hash(n + 1) AS b FROM range(6_000_000) AS r(n)')
    await connection.run('CHECKPOINT')
    await readOne('SELECT sum(a // 2 + b // 2) FROM numbers')
  })
  afterEach(() => {
    connection.closeSync()
    instance.closeSync()
  })

  it('are freed after as many events without a query, and once', async () => {
    expect(await cachedMegabytes()).toBeGreaterThan(80)
    blocks.onWrite(999)
    await blocks.freeNext()
    expect(await cachedMegabytes()).toBeGreaterThan(80)
    blocks.onWrite(1)
    await blocks.freeNext()
    expect(await cachedMegabytes()).toBeLessThan(65)
    await readOne('SELECT sum(a // 2 + b // 2) FROM numbers')
    await blocks.freeNext()
    expect(await cachedMegabytes()).toBeGreaterThan(80)
  })

  it('are kept for the queries that may follow one', async () => {
    blocks.onWrite(999)
    blocks.onQuery()
    blocks.onWrite(999)
    await blocks.freeNext()
    expect(await cachedMegabytes()).toBeGreaterThan(80)
  })

  it('leave the limit of memory as it was', async () => {
    const limit = await readOne("SELECT current_setting('memory_limit')")
    blocks.onWrite(1000)
    await blocks.freeNext()
    expect(await readOne("SELECT current_setting('memory_limit')")).toBe(limit)
  })

  it('are freed as far as possible while more than what shall remain is in use', async () => {
    // Rows of an open transaction are in use.
    const other = await instance.connect()
    await other.run('BEGIN')
    await other.run("CREATE TEMP TABLE used AS SELECT repeat('x', 1000) || n AS text FROM range(120_000) AS r(n)")
    const limit = await readOne("SELECT current_setting('memory_limit')")
    blocks.onWrite(1000)
    await blocks.freeNext()
    expect(await cachedMegabytes()).toBeLessThan(65)
    expect(await readOne("SELECT current_setting('memory_limit')")).toBe(limit)
    other.closeSync()
  })
})

describe('a store that frees its blocks after each commit', () => {
  it('stores events and answers as any other', async () => {
    const { store, close } = await openTestEventStore(2, { freeAfterEvents: 1 })
    for (let number = 1; number <= 20; number++) await store.commit(batchOf([storedEvent(number)]))
    expect(await select(store, 'SELECT count(*), count(DISTINCT uuid) FROM events')).toEqual([[20, 20]])
    await store.commit(batchOf([storedEvent(21)]))
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[21]])
    await close()
  })
})
