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

const LIMITS = { memoryMb: 400, spillMb: 16, threads: 1 }

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

  it('are unused after as many events without a query, until they are freed', async () => {
    blocks.onWrite(999)
    expect(blocks.areUnused()).toBe(false)
    blocks.onWrite(1)
    expect(blocks.areUnused()).toBe(true)
    expect(await cachedMegabytes()).toBeGreaterThan(80)
    await blocks.free()
    expect(await cachedMegabytes()).toBeLessThan(30)
    expect(blocks.areUnused()).toBe(false)
  })

  it('are used after a query, because more may follow', () => {
    blocks.onWrite(1000)
    blocks.onQuery()
    blocks.onWrite(999)
    expect(blocks.areUnused()).toBe(false)
  })

  it('leave the limit of memory as it was', async () => {
    const limit = await readOne("SELECT current_setting('memory_limit')")
    await blocks.free()
    expect(await readOne("SELECT current_setting('memory_limit')")).toBe(limit)
  })

  it('are freed beside rows that are in memory alone, which are not written to spill files', async () => {
    await connection.run("CREATE TEMP TABLE rows AS SELECT repeat('x', 1000) || n AS text FROM range(100_000) AS r(n)")
    await readOne('SELECT sum(a // 2 + b // 2) FROM numbers')
    expect(await cachedMegabytes()).toBeGreaterThan(80)
    await blocks.free()
    expect(await cachedMegabytes()).toBeLessThan(30)
    expect(await readOne('SELECT count(*) FROM duckdb_temporary_files()')).toBe(0n)
  })
})

describe('a store that frees its blocks after each commit', () => {
  it('stores events and answers as any other', async () => {
    const { store, close } = await openTestEventStore(2, { freeAfterEvents: 1 })
    for (let number = 1; number <= 20; number++) await store.commit(batchOf([storedEvent(number)]))
    expect(await select(store, 'SELECT count(*), count(DISTINCT uuid) FROM events')).toEqual([[20, 20]])
    await close()
  })

  it('answers while it commits', async () => {
    const { store, close } = await openTestEventStore(2, { freeAfterEvents: 1 })
    await store.commit(batchOf([storedEvent(1)]))
    const numbers = Array.from({ length: 30 }, (_, index) => index + 2)
    const commits = (async () => {
      for (const number of numbers) await store.commit(batchOf([storedEvent(number)]))
    })()
    const answers = numbers.map(() => select(store, 'SELECT count(*) > 0 FROM events'))
    await commits
    expect(await Promise.all(answers)).toEqual(numbers.map(() => [[true]]))
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[31]])
    await close()
  })
})
