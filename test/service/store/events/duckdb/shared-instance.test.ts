import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import { openCurrentFile } from '../../../../../src/service/store/events/duckdb/open-current-file.ts'
import { createEventStore, openDuckDbStore } from '../../../../../src/service/store/events/duckdb/open-store.ts'
import { openPackedStore } from '../../../../../src/service/store/events/duckdb/open-packed-store.ts'
import type { SharedInstance } from '../../../../../src/service/store/events/duckdb/shared-instance.ts'
import { createSharedInstance } from '../../../../../src/service/store/events/duckdb/shared-instance.ts'
import { packUuids } from '../../../../../src/service/store/events/duckdb/rows/uuid-words.ts'
import { readFileFacts } from '../../../../../src/service/store/events/duckdb/file-facts.ts'
import type { EventStore, PersonCopyUpdate } from '../../../../../src/service/store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../../../../src/service/store/events/event-store.ts'
import { positionAfterRow } from '../../../../../src/service/store/row-position.ts'
import { batchOf, select, storedEvent } from '../../../../contract/service-event-store.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

const LIMITS = { memoryMb: 128, spillMb: 16, threads: 2 }

describe('createSharedInstance', () => {
  let folder: string
  let shared: SharedInstance
  beforeEach(() => {
    folder = createTempFolder()
    shared = createSharedInstance(join(folder, 'shared'), LIMITS)
  })
  afterEach(() => shared.close())

  const fileOf = (projectId: number): string => join(folder, `${projectId}.duckdb`)
  const optionsOf = (projectId: number) => ({
    ...LIMITS,
    file: fileOf(projectId),
    deriveOriginId: (distinctId: string) => derivePersonId(projectId, distinctId),
  })
  const open = (projectId: number): Promise<EventStore> => openDuckDbStore(optionsOf(projectId))
  const openBriefly = async (projectId: number): Promise<EventStore> =>
    createEventStore(await openPackedStore({ ...optionsOf(projectId), shared }))
  const createProjects = async (...projectIds: number[]): Promise<void> => {
    for (const projectId of projectIds) await (await open(projectId)).close()
  }
  const readUuids = async (projectId: number): Promise<readonly unknown[]> => {
    const store = await open(projectId)
    const rows = await select(store, 'SELECT event, distinct_id FROM events ORDER BY event')
    await store.close()
    return rows
  }

  it('stores events of several projects, each in its own file', async () => {
    await createProjects(1, 2)
    for (const [n, projectId] of [1, 2, 1, 2].entries()) {
      const store = await openBriefly(projectId)
      await store.commit(batchOf([storedEvent(n, { event: `event ${n}`, distinctId: `user ${projectId}` })]))
      await store.close()
    }
    expect(await readUuids(1)).toEqual([
      ['event 0', 'user 1'],
      ['event 2', 'user 1'],
    ])
    expect(await readUuids(2)).toEqual([
      ['event 1', 'user 2'],
      ['event 3', 'user 2'],
    ])
  })

  it('finds duplicates of what another opening stored', async () => {
    await createProjects(1)
    const events = [storedEvent(1), storedEvent(2)]
    const first = await openBriefly(1)
    await first.findDuplicates(events)
    await first.commit(batchOf(events))
    await first.close()
    const second = await openBriefly(1)
    const again = [storedEvent(1, { inboxRow: 11 }), storedEvent(2, { inboxRow: 12 })]
    expect([...(await second.findDuplicates(again))]).toEqual(again)
    await second.close()
  })

  it('keeps a rolled back batch of one project out of the next one', async () => {
    await createProjects(1, 2)
    const first = await openBriefly(1)
    await first.add(batchOf([storedEvent(1)]))
    await first.close()
    const second = await openBriefly(2)
    await second.commit(batchOf([storedEvent(2, { event: 'kept', distinctId: 'user' })]))
    await second.close()
    expect([await readUuids(1), await readUuids(2)]).toEqual([[], [['kept', 'user']]])
  })

  it('knows the distinct ids of a project that has more than it reads', async () => {
    await createProjects(1)
    const store = await open(1)
    await store.commit(batchOf(Array.from({ length: 20_000 }, (_, n) => storedEvent(n, { distinctId: `user ${n}` }))))
    await store.close()
    const brief = await openBriefly(1)
    await brief.commit(
      batchOf([storedEvent(20_000, { distinctId: 'user 7' }), storedEvent(20_001, { distinctId: 'new' })]),
    )
    await brief.close()
    const { writer, close } = await openCurrentFile(optionsOf(1))
    const counted = await writer.runAndReadAll('SELECT count(*)::INTEGER, max(number) FROM internal.distinct_ids')
    expect(counted.getRows()).toEqual([[20_001, 20_000]])
    await close()
  })

  /** The facts of a file that the instance kept, and those that are in the file. */
  const compareFacts = async (projectId: number) => {
    const openFile = (await shared.open(fileOf(projectId)))!
    const stored = await readFileFacts(openFile.writer)
    const ids = await openFile.writer.runAndReadAll(
      'SELECT origin_id::VARCHAR FROM internal.distinct_ids ORDER BY number',
    )
    await openFile.close({ facts: openFile.facts })
    return { kept: openFile.facts, stored: { ...stored, origins: packUuids(ids.getRows().map(([id]) => String(id))) } }
  }

  it('knows after each closing what the file has', async () => {
    await createProjects(1)
    expect((await compareFacts(1)).kept).toBe(undefined)
    const person = { id: derivePersonId(1, 'ada'), properties: { a: 1, b: 2 }, createdAt: 1000, isIdentified: true }
    const updates: readonly Partial<PersonCopyUpdate>[] = [
      {},
      { persons: [person], distinctIds: new Map([['ada', person.id]]), revision: 1 },
      { persons: [person], changedNames: new Map([[person.id, new Set(['b'])]]), revision: 2 },
      { persons: [{ ...person, publicId: derivePersonId(1, 'bob') }], revision: 3 },
      { distinctIds: new Map([['new', person.id]]), revision: 4 },
      { replacesAll: true, persons: [person], revision: 5 },
    ]
    for (const [n, update] of updates.entries()) {
      const store = await openBriefly(1)
      const event = storedEvent(n + 1, { distinctId: `user ${n}`, properties: { [`p${n}`]: n } })
      await store.commit(batchOf([event], { persons: { ...NO_PERSON_UPDATE, ...update } }))
      await store.close()
      const { kept, stored } = await compareFacts(1)
      // A name or a change may be gone again.
      expect(kept).toEqual({ ...stored, haveNames: n >= 3, haveChanges: n >= 2 })
      expect(stored.progress.revision).toBe(n)
    }
  })

  it('knows what a new file has, which was written by itself', async () => {
    const store = await openBriefly(1)
    await store.commit(batchOf([storedEvent(1, { distinctId: 'ada', properties: { plan: 'pro' } })]))
    await store.close()
    const { kept, stored } = await compareFacts(1)
    expect(kept).toBeDefined()
    expect(kept).toEqual(stored)
  })

  it('reads a file again after a failed batch, and after an open transaction', async () => {
    await createProjects(1)
    const first = await openBriefly(1)
    await first.commit(batchOf([storedEvent(1)]))
    const position = positionAfterRow(2 ** 70)
    await expect(first.commit(batchOf([storedEvent(2)], { position }))).rejects.toThrow(RangeError)
    await first.close()
    expect((await compareFacts(1)).kept).toBe(undefined)
    const second = await openBriefly(1)
    await second.add(batchOf([storedEvent(2)]))
    await second.close()
    expect((await compareFacts(1)).kept).toBe(undefined)
    expect(await readUuids(1)).toHaveLength(1)
  })

  it('reads a file that took the place of an open one', async () => {
    await createProjects(1, 2)
    const brief = await openBriefly(1)
    await brief.commit(batchOf([storedEvent(1, { distinctId: 'ada' })]))
    renameSync(fileOf(2), fileOf(1))
    rmSync(`${fileOf(1)}.wal`)
    await brief.close()
    expect((await compareFacts(1)).kept).toBe(undefined)
  })

  it('reads a file again that was opened by itself meanwhile', async () => {
    await createProjects(1)
    const brief = await openBriefly(1)
    await brief.commit(batchOf([storedEvent(1, { distinctId: 'ada' })]))
    await brief.close()
    const store = await open(1)
    await store.commit(batchOf([storedEvent(2, { distinctId: 'bob' })]))
    await store.close()
    const { kept, stored } = await compareFacts(1)
    expect([kept, stored.idCount]).toEqual([undefined, 2])
  })

  it('answers no question', async () => {
    await createProjects(1)
    const store = await openBriefly(1)
    await expect(select(store, 'SELECT 1')).rejects.toThrow('A shared instance runs no queries.')
    await store.close()
  })

  it('writes the log into the file before it takes long to read', async () => {
    await createProjects(1)
    const log = `${fileOf(1)}.wal`
    const sizes: number[] = []
    for (let n = 0; n < 20; n++) {
      const store = await openBriefly(1)
      await store.commit(batchOf([storedEvent(n, { properties: { text: 'x'.repeat(1000) } })]))
      await store.close()
      sizes.push(statSync(log, { throwIfNoEntry: false })?.size ?? 0)
    }
    expect(Math.max(...sizes)).toBeLessThan(8 * 1024)
    // Not after each event: a checkpoint costs more than to read the log of a few.
    expect(sizes.filter((size) => size === 0).length).toBeLessThan(8)
    expect(await readUuids(1)).toHaveLength(20)
  })

  it('leaves a file to an instance of its own that is missing, or of another version', async () => {
    expect(await shared.open(fileOf(1))).toBe(null)
    const older = await openCurrentFile(optionsOf(1))
    await older.close()
    expect(await shared.open(fileOf(1))).toBe(null)
    await createProjects(1)
    const current = await shared.open(fileOf(1))
    expect(current).not.toBe(null)
    await current!.writer.run("UPDATE internal.schema_version SET version = 'another'")
    await current!.close()
    expect(await shared.open(fileOf(1))).toBe(null)
  })

  it('continues with the next file after a damaged one', async () => {
    await createProjects(2)
    writeFileSync(fileOf(1), 'no database'.repeat(1000))
    expect(await shared.open(fileOf(1))).toBe(null)
    const store = await openBriefly(2)
    await store.commit(batchOf([storedEvent(1)]))
    await store.close()
    expect(await readUuids(2)).toHaveLength(1)
  })

  it('stores events of a file while another one turns out to be damaged', async () => {
    await createProjects(1, 2)
    const [store, damaged] = [await openBriefly(1), fileOf(2)]
    writeFileSync(damaged, 'no database'.repeat(1000))
    expect(await shared.open(damaged)).toBe(null)
    await store.commit(batchOf([storedEvent(1)]))
    await store.close()
    const next = await openBriefly(1)
    await next.commit(batchOf([storedEvent(2)]))
    await next.close()
    expect(await readUuids(1)).toHaveLength(2)
  })

  it('closes a file while the next one waits for a new instance, because another one is damaged', async () => {
    await createProjects(1, 2, 3)
    const [first, damaged] = [await openBriefly(1), fileOf(2)]
    writeFileSync(damaged, 'no database'.repeat(1000))
    expect(await shared.open(damaged)).toBe(null)
    const opening = openBriefly(3)
    await first.commit(batchOf([storedEvent(1)]))
    await first.close()
    const next = await opening
    await next.commit(batchOf([storedEvent(2)]))
    await next.close()
    expect([await readUuids(1), await readUuids(3)].map(({ length }) => length)).toEqual([1, 1])
  })

  it('keeps its instance when a file of an earlier one cannot be closed', async () => {
    await createProjects(1, 2, 3)
    const first = await shared.open(fileOf(1))
    writeFileSync(fileOf(2), 'no database'.repeat(1000))
    expect(await shared.open(fileOf(2))).toBe(null)
    // Its connection is gone, as after a fatal error.
    first!.writer.closeSync()
    await first!.close()
    const [second, third] = [await openBriefly(3), await openBriefly(1)]
    await Promise.all([second, third].map((store, place) => store.commit(batchOf([storedEvent(place)]))))
    await Promise.all([second, third].map((store) => store.close()))
    expect([await readUuids(3), await readUuids(1)].map(({ length }) => length)).toEqual([1, 1])
  })

  it('leaves no statement to a thread of DuckDB, because it has none', async () => {
    await createProjects(1)
    const openFile = (await shared.open(fileOf(1)))!
    const threads = await openFile.writer.runAndReadAll("SELECT current_setting('threads')::INTEGER")
    expect(threads.getRows()).toEqual([[1]])
    await openFile.close()
  })

  it('finds duplicates in the file that is open, whichever it found them in before', async () => {
    await createProjects(1, 2)
    for (const projectId of [1, 2, 1]) {
      const openFile = (await shared.open(fileOf(projectId)))!
      const checker = await openFile.checker()
      const found = await checker.runAndReadAll(
        'SELECT parse_filename(path) FROM duckdb_databases() WHERE database_name = current_database()',
      )
      expect(found.getRows()).toEqual([[`${projectId}.duckdb`]])
      expect(await openFile.checker()).toBe(checker)
      await openFile.close()
    }
  })

  it('opens several files at once', async () => {
    await createProjects(1, 2)
    const stores = await Promise.all([openBriefly(1), openBriefly(2)])
    await Promise.all(stores.map((store, place) => store.commit(batchOf([storedEvent(place)]))))
    await Promise.all(stores.map((store) => store.close()))
    expect([await readUuids(1), await readUuids(2)].map(({ length }) => length)).toEqual([1, 1])
  })
})
