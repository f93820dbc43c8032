import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { placeOfUrl, readEventsMark, writeEventsMark } from '../../../src/service/events-mark.ts'
import { duckDbLimits } from '../../../src/service/indexer/engine/duckdb-engine.ts'
import { CopyDiffersError } from '../../../src/service/indexer/move/move-options.ts'
import { moveEvents } from '../../../src/service/indexer/move/move-events.ts'
import { moveToClickHouse } from '../../../src/service/indexer/move/move-to-clickhouse.ts'
import { moveToFiles } from '../../../src/service/indexer/move/move-to-files.ts'
import { finishMoveToClickHouse, finishMoveToFiles } from '../../../src/service/migrate/finish-move.ts'
import { setFilesAside } from '../../../src/service/migrate/set-files-aside.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { connectClickHouse } from '../../../src/service/store/events/clickhouse/connect.ts'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import { openFileReader } from '../../../src/service/store/events/duckdb/open-file-reader.ts'
import { openDuckDbStore } from '../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import { listEventFiles } from '../../../src/service/store/events/list-event-files.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { batchOf, select, storedEvent } from '../../contract/service-event-store.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import type { TestClickHouse } from './start-clickhouse.ts'
import { startClickHouse } from './start-clickhouse.ts'

// Each attempt opens several databases.
vi.setConfig({ testTimeout: 240_000 })

let server: TestClickHouse
beforeAll(async () => {
  server = await startClickHouse()
})
afterAll(() => server.cleanUp())

const REJECTED = [1, 2].map((inboxRow) => ({
  inboxRow,
  receivedAt: 1_000 * inboxRow,
  reason: 'cannot be parsed',
  form: 'json',
  body: Uint8Array.of(0, 255, inboxRow),
}))

/** A folder with a project of 250 events, a small one, and one that the metadata does not have. */
const createFolder = async (cluster?: string) => {
  const folder = createTempFolder()
  const metadata = await openMetadata(join(folder, 'metadata.sqlite'))
  const events = join(folder, 'events')
  mkdirSync(events)
  const projects = [await createProject(metadata, 'One', 1_000), await createProject(metadata, 'Two', 1_000)]
  const prefix = server.createPrefix()
  const { host } = new URL(server.options.url)
  const url = `clickhouse://${server.options.username}:${encodeURIComponent(server.options.password)}@${host}/${prefix}${cluster === undefined ? '' : `?cluster=${cluster}`}`
  const openFile = (id: number) =>
    openDuckDbStore({
      ...duckDbLimits(512),
      file: join(events, `${id}.duckdb`),
      deriveOriginId: (distinctId) => derivePersonId(id, distinctId),
    })
  const openDatabase = (id: number) =>
    openClickHouseStore({ server: { ...server.options, databasePrefix: prefix, cluster }, projectId: id, node: '' })
  const one = await openFile(projects[0]!.id)
  const many = Array.from({ length: 250 }, (_, n) => storedEvent(n + 1, { properties: { n, text: 'x'.repeat(100) } }))
  await one.commit(batchOf(many, { rejected: REJECTED, position: { inboxRow: 250, events: 7 } }))
  await one.close()
  for (const id of [projects[1]!.id, 99]) {
    const store = await openFile(id)
    await store.commit(batchOf([storedEvent(1, { uuid: '00000000-0000-4000-8000-000000000001' })]))
    await store.close()
  }
  const warnings: string[] = []
  const options = {
    metadata,
    nodeId: '',
    memoryMb: 512,
    listBytes: 8_000,
    folder: events,
    server: { url, passwordFile: null },
    onNotice: (_notice: string) => undefined as void,
    onWarning: (message: string) => void warnings.push(message),
    signal: new AbortController().signal,
  }
  return { events, url, prefix, metadata, options, warnings, openFile, openDatabase, ids: projects.map(({ id }) => id) }
}

type Folder = Awaited<ReturnType<typeof createFolder>>

/** Moves events, and ends each attempt after a notice more than the one before. Returns the number of attempts. */
const moveInterrupted = async (move: typeof moveToClickHouse, { options }: Folder) => {
  for (let attempts = 1; ; attempts++) {
    const stopper = new AbortController()
    let notices = 0
    const onNotice = (): void => {
      notices += 1
      if (notices === attempts) stopper.abort()
    }
    try {
      const copies = await move({ ...options, onNotice, signal: stopper.signal })
      return { attempts, copies }
    } catch (error) {
      if (!stopper.signal.aborted) throw error
    }
  }
}

const readUuids = (store: EventStore) => select(store, 'SELECT uuid FROM events ORDER BY 1', 1_000)

const readAndClose = async (store: EventStore) => {
  const result = { uuids: new Set((await readUuids(store)).map(String)), position: store.position() }
  const count = (await readUuids(store)).length
  await store.close()
  return { ...result, count }
}

test.each([
  ['one server', undefined],
  ['a cluster', 'test_cluster'],
])('moves each event once to %s and back, though every attempt is interrupted at another place', async (_, cluster) => {
  const folder = await createFolder(cluster)
  const { events, url, openDatabase, openFile, ids, prefix } = folder
  const [id, other] = ids as [number, number]
  const before = await readAndClose(await openFile(id))
  expect(before).toMatchObject({ count: 250, position: { inboxRow: 250, events: 7 } })

  const there = await moveInterrupted(moveToClickHouse, folder)
  expect(there.attempts).toBeGreaterThan(3)
  expect(there.copies).toEqual({ events: 251, projects: ids })
  expect(folder.warnings).toContain(
    'The metadata has no project 99: its events are not moved, and its file is set aside.',
  )
  finishMoveToClickHouse(events, url)
  expect(readEventsMark(events)).toEqual(placeOfUrl(url))
  expect(listEventFiles(events)).toEqual([])
  const aside = readdirSync(events).find((name) => name.startsWith('moved-'))!
  expect(readdirSync(join(events, aside)).filter((name) => name.endsWith('.duckdb'))).toHaveLength(3)
  expect(await readAndClose(await openDatabase(id))).toEqual(before)
  const { administrator, close } = await connectClickHouse({ ...server.options, databasePrefix: prefix }, id)
  const answer = await administrator.query({
    query: 'SELECT inbox_row, body FROM rejected FINAL ORDER BY 1',
    format: 'JSONCompactEachRow',
  })
  expect(JSON.stringify(await answer.json())).toBe('[["1","AP8B"],["2","AP8C"]]')
  await close()

  const back = await moveInterrupted(moveToFiles, folder)
  expect(back.attempts).toBeGreaterThan(2)
  expect(back.copies).toEqual({ events: 251, projects: ids })
  finishMoveToFiles(events, ids)
  expect(readEventsMark(events)).toBeNull()
  expect(await readAndClose(await openFile(id))).toEqual(before)
  // The uuid has no time, so that the file must know it in another way.
  const store = await openFile(other)
  const again = storedEvent(7, { uuid: '00000000-0000-4000-8000-000000000001' })
  expect(await store.findDuplicates([again])).toEqual(new Set([again]))
  await store.close()
  expect(await readRejected(folder, id)).toEqual([
    [1, 'AP8B'],
    [2, 'AP8C'],
  ])
})

const readRejected = async ({ events }: Folder, id: number) => {
  const reader = await openFileReader({
    ...duckDbLimits(512),
    file: join(events, `${id}.duckdb`),
    deriveOriginId: (distinctId) => derivePersonId(id, distinctId),
  })
  const rows: unknown[] = []
  for await (const { inboxRow, body } of reader.readRejected(0))
    rows.push([inboxRow, Buffer.from(body).toString('base64')])
  await reader.close()
  return rows
}

test('makes a copy that differs anew, and gives up when it differs again', async () => {
  const { options, openDatabase, ids, events, url } = await createFolder()
  const [id] = ids as [number]
  // Of another installation that had the same databases.
  const stranger = await openDatabase(id)
  await stranger.commit(batchOf([storedEvent(500)]))
  await stranger.close()
  const failures: (string | null)[] = []
  const copies = await moveEvents({
    ...options,
    settings: { events: { url, passwordFile: null }, nodeId: '', memoryMb: 512 },
    source: events,
    onFailure: (reason) => failures.push(reason),
  })
  expect(copies).toBeNull()
  const reasons = failures.filter((reason) => reason !== null)
  expect(reasons).toHaveLength(2)
  expect(reasons[0]).toMatch(
    /cannot be moved now: .*of 2026-01-02, the copy has 251 events instead of 250.* goes on by itself/,
  )
  expect(reasons[1]).toMatch(
    /cannot be moved: .* choose another prefix\. They stay where they are: stop the service and start it as before/,
  )
  expect(readEventsMark(events)).toBeNull()
  expect(listEventFiles(events)).toHaveLength(3)
})

test('finds an event too many, and makes the file anew', async () => {
  const folder = await createFolder()
  const { options, events, url, ids, openFile } = folder
  const [id] = ids as [number]
  await moveToClickHouse(options)
  finishMoveToClickHouse(events, url)
  await moveToFiles(options)
  const file = join(events, `${id}.duckdb.moving`)
  const copy = await openDuckDbStore({ ...duckDbLimits(512), file, deriveOriginId: (name) => derivePersonId(id, name) })
  await copy.commit(batchOf([storedEvent(401, { properties: { n: 1 } })]))
  await copy.close()
  await expect(moveToFiles(options)).rejects.toThrow(CopyDiffersError)
  expect(existsSync(file)).toBe(false)
  await moveToFiles(options)
  finishMoveToFiles(events, ids)
  expect(await readAndClose(await openFile(id))).toMatchObject({ count: 250 })
})

test('goes on after an interruption at the end of a move', async () => {
  const folder = await createFolder()
  const { options, events, url, ids, openDatabase, openFile } = folder
  const [id, other] = ids as [number, number]
  await moveToClickHouse(options)
  // The service died after the mark was written.
  writeEventsMark(events, placeOfUrl(url))
  finishMoveToClickHouse(events, url)
  expect(listEventFiles(events)).toEqual([])
  await moveToFiles(options)
  // It died before the last file had its name.
  expect(() => finishMoveToFiles(events, [id, 12345])).toThrow('ENOENT')
  expect(readEventsMark(events)).not.toBeNull()
  setFilesAside(events)
  await moveToFiles(options)
  finishMoveToFiles(events, [id, other])
  expect(await readAndClose(await openFile(id))).toMatchObject({ count: 250 })
  expect(await readAndClose(await openDatabase(id))).toMatchObject({ count: 250 })
})
