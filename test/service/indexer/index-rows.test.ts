import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findBuiltScript } from '../../../src/service/find-built-script.ts'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { startDecompression } from '../../../src/service/indexer/decompression/start-decompression.ts'
import type { IndexContext } from '../../../src/service/indexer/index-rows.ts'
import { indexRows } from '../../../src/service/indexer/index-rows.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { readGroups } from '../../../src/service/persons/read-groups.ts'
import { readPerson } from '../../../src/service/persons/read-person.ts'
import { createPersonUpdater } from '../../../src/service/persons/person-updater.ts'
import { openDuckDbStore } from '../../../src/service/store/events/duckdb/open-store.ts'
import type { EventBatch, EventStore, RejectedRow, StoredEvent } from '../../../src/service/store/events/event-store.ts'
import { FailedCommitError, UnstorableError } from '../../../src/service/store/events/event-store.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { readFlagSettings } from '../../../src/service/store/metadata/flag-settings.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import type { RowPosition } from '../../../src/service/store/row-position.ts'
import { positionAfterRow } from '../../../src/service/store/row-position.ts'
import { select } from '../../contract/service-event-store.ts'
import { rowOptions } from '../support/row-options.ts'

const createRow = (id: number, events: readonly unknown[]): InboxRow => ({
  id,
  projectId: 1,
  receivedAt: 1_700_000_000_000 + id,
  address: null,
  form: '{}',
  body: bodyOf(events),
})

const bodyOf = (events: readonly unknown[]): Buffer => Buffer.from(JSON.stringify({ api_key: 'key', batch: events }))

describe('indexRows', () => {
  let folder: string
  let metadata: Metadata
  let store: EventStore
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-index-'))
    metadata = await openMetadata(join(folder, 'metadata.sqlite'))
    await createProject(metadata, 'one', 0)
    store = await openDuckDbStore({
      file: join(folder, '1.duckdb'),
      deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
      memoryMb: 128,
      spillMb: 16,
      threads: 1,
    })
  })
  afterEach(async () => {
    await store.close()
    await metadata.destroy()
    rmSync(folder, { recursive: true })
  })

  const rejected: RejectedRow[] = []
  const memoryFailures = new Map<number, number>()
  const failedCommits = new Map<number, number>()
  const warnings: string[] = []
  beforeEach(() => {
    rejected.length = 0
    warnings.length = 0
    memoryFailures.clear()
    failedCommits.clear()
  })

  const createUpdater = () => createPersonUpdater(metadata, { warn: (message) => warnings.push(message) })
  const index = (
    rows: readonly InboxRow[],
    target = store,
    personUpdater = createUpdater(),
    options: Pick<IndexContext, 'chunksPerCommit' | 'eventsPerCommit' | 'decompress' | 'readMore' | 'signal'> = {},
  ) => {
    const onRejected = (row: RejectedRow) => rejected.push(row)
    return indexRows(
      {
        personUpdater,
        store: target,
        projectId: 1,
        memoryFailures,
        failedCommits,
        rowOptions,
        onRejected,
        ...options,
      },
      rows,
    )
  }

  /** A store that checks each batch before it stores it. `batch` is undefined for a commit of what was added before. */
  const createCheckingStore = (check: (batch: EventBatch | undefined, verb: 'add' | 'commit') => void): EventStore => ({
    ...store,
    async add(batch) {
      check(batch, 'add')
      await store.add(batch)
    },
    async commit(batch) {
      check(batch, 'commit')
      await store.commit(batch)
    },
  })

  /** A store that refuses some batches. */
  const createRefusingStore = (refuse: (batch: EventBatch) => Error | null): EventStore =>
    createCheckingStore((batch) => {
      const error = batch === undefined ? null : refuse(batch)
      if (error !== null) throw error
    })

  /** A store whose commit fails, as when the process dies after the person changes are written. */
  const dyingStore = (): EventStore => ({ ...store, commit: () => Promise.reject(new Error('killed')) })

  it('applies person changes once if the process dies before the events are stored', async () => {
    const rows = [
      createRow(1, [{ event: 'a', distinct_id: 'anon', properties: { $set: { n: 1 } } }]),
      createRow(2, [
        { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon', $set: { n: 2 } } },
      ]),
      createRow(3, [{ event: 'b', distinct_id: 'ada', properties: { $set_once: { first: 'b' } } }]),
    ]
    await index(rows.slice(0, 1))
    await expect(index(rows, dyingStore())).rejects.toThrow('killed')
    // A second application of the first changes would overwrite this.
    await metadata.updateTable('persons').set({ properties: '{"n":3,"first":"b"}' }).execute()
    await index(rows.slice(0, 2))
    await index(rows)
    expect(await select(store, 'SELECT properties, is_identified FROM persons')).toEqual([
      ['{"n":3,"first":"b"}', true],
    ])
    expect(await select(store, 'SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[3, 1]])
  })

  it('mirrors a merge of an earlier run, including ids that the rows do not contain', async () => {
    await index([
      createRow(1, [
        { event: 'a', distinct_id: 'main' },
        { event: 'a', distinct_id: 'old' },
        { event: '$create_alias', distinct_id: 'older', properties: { alias: 'old2' } },
        { event: '$identify', distinct_id: 'old2', properties: { $anon_distinct_id: 'old' } },
      ]),
    ])
    const merge = [createRow(2, [{ event: '$create_alias', distinct_id: 'older', properties: { alias: 'main' } }])]
    await expect(index(merge, dyingStore())).rejects.toThrow('killed')
    expect(await select(store, 'SELECT count(*) FROM persons')).toEqual([[2]])
    await index(merge)
    expect(await select(store, 'SELECT count(*), count(DISTINCT person_id) FROM person_distinct_ids')).toEqual([[4, 1]])
    expect(await select(store, 'SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[5, 1]])
    expect(await select(store, 'SELECT count(*) FROM persons')).toEqual([[1]])
  })

  /** A store that cannot hold events named `poison`. */
  const createPickyStore = (reason: 'content' | 'memory'): EventStore => {
    const isPoison = (event: StoredEvent) => event.event === 'poison'
    return {
      ...createRefusingStore(({ events }) =>
        events.some(isPoison) ? new UnstorableError(reason, new Error('refused: poison')) : null,
      ),
      canStore: (events) => Promise.resolve(!events.some(isPoison)),
    }
  }

  it('stores the other events of a request with unstorable events, and lists those', async () => {
    const names = ['a', 'poison', 'b', 'c', 'poison', 'd']
    await index(
      [
        createRow(
          1,
          names.map((event) => ({ event, distinct_id: 'ada' })),
        ),
      ],
      createPickyStore('content'),
    )
    expect(await select(store, 'SELECT event FROM events ORDER BY 1')).toEqual([['a'], ['b'], ['c'], ['d']])
    expect(rejected.map(({ inboxRow, reason }) => [inboxRow, reason])).toEqual([
      [1, '2 events cannot be stored (places 1, 4): refused: poison'],
    ])
  })

  /** Two persons, and a request that merges them and adds a third. */
  const mergeRows = () => [
    createRow(1, [
      { event: 'a', distinct_id: 'phone' },
      { event: 'b', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } },
    ]),
    createRow(2, [
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'phone', $set: { plan: 'free' } } },
      { event: 'c', distinct_id: 'bob', properties: { $set: { plan: 'none' } } },
    ]),
  ]

  it('commits a merge separately if the store cannot hold it with the events', async () => {
    const rows = mergeRows()
    await index(rows.slice(0, 1))
    const isTooLarge = ({ events, persons }: EventBatch) => events.length > 0 && persons.distinctIds.size > 0
    const picky = createRefusingStore((batch) =>
      isTooLarge(batch) ? new UnstorableError('content', new Error('too much')) : null,
    )
    await index(rows, picky)
    expect(rejected).toEqual([])
    expect(store.position()).toEqual(positionAfterRow(2))
    expect(await select(store, 'SELECT event, count(DISTINCT person_id) OVER () FROM events ORDER BY 1')).toEqual([
      ['$identify', 2],
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ])
    expect(await select(store, "SELECT properties->>'plan' FROM persons ORDER BY 1")).toEqual([['free'], ['none']])
  })

  it('reports an unstorable person and stores everything else', async () => {
    const rows = mergeRows()
    await index(rows.slice(0, 1))
    const isRefused = ({ persons }: EventBatch) =>
      persons.persons.some(({ properties }) => properties['plan'] === 'none')
    const picky = createRefusingStore((batch) =>
      isRefused(batch) ? new UnstorableError('content', new Error('no bob')) : null,
    )
    await index(rows, picky)
    expect(rejected.map(({ inboxRow, reason }) => [inboxRow, reason])).toEqual([
      [2, `Not stored: person ${derivePersonId(1, 'bob')}: no bob`],
    ])
    expect(await select(store, 'SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[4, 2]])
    expect(await select(store, "SELECT properties->>'plan' FROM persons")).toEqual([['free']])
  })

  it('stores the merge of a request without storable events', async () => {
    const rows = mergeRows()
    await index(rows.slice(0, 1))
    const picky = createRefusingStore(({ events }) =>
      events.length > 0 ? new UnstorableError('content', new Error('no events')) : null,
    )
    await index(rows, picky)
    expect(rejected.map(({ inboxRow, reason }) => [inboxRow, reason])).toEqual([[2, 'no events']])
    expect(await select(store, 'SELECT count(*), count(DISTINCT person_id) FROM events')).toEqual([[2, 1]])
  })

  it('reads bodies that another thread decompressed, and rejects the damaged one with its reason', async () => {
    const { decompress, stop } = startDecompression(findBuiltScript('decompression-thread'))
    onTestFinished(stop)
    const text = 'x'.repeat(1000)
    const eventsOf = (id: number) =>
      Array.from({ length: 1000 }, (_, index) => ({ event: `${id}/${index}`, distinct_id: 'a', properties: { text } }))
    const bodies = [1, 2, 3, 4].map((id) => gzipSync(bodyOf(eventsOf(id))))
    const damaged = bodies[1]!.subarray(0, -20)
    const rows = bodies.with(1, damaged).map((body, index) => Object.assign(createRow(index + 1, []), { body }))
    await index(rows, store, createUpdater(), { decompress })
    expect(await select(store, 'SELECT count(*), count(DISTINCT event), min(event) FROM events')).toEqual([
      [3000, 3000, '1/0'],
    ])
    expect(rejected).toMatchObject([{ inboxRow: 2, body: damaged, reason: expect.stringContaining('gzip') }])
  })

  it('rejects a row that needs too much memory at the third attempt', async () => {
    const rows = ['poison', 'a'].map((event, n) => createRow(n + 1, [{ event, distinct_id: 'ada' }]))
    for (let tries = 0; tries < 2; tries++) {
      await expect(index(rows, createPickyStore('memory'))).rejects.toMatchObject({ reason: 'memory' })
    }
    await index(rows, createPickyStore('memory'))
    expect([store.position(), rejected.length]).toEqual([positionAfterRow(2), 1])
    expect(await select(store, 'SELECT event FROM events')).toEqual([['a']])
  })

  it('rejects the row whose commits need too much memory, in a store that each of them breaks', async () => {
    const names = ['a', 'b', 'poison', 'c']
    const rows = names.map((event, n) => createRow(n + 1, [{ event, distinct_id: event }]))
    /** A store as it is opened again after each failed commit. */
    const openBreakingStore = (): EventStore => {
      let holdsPoison = false
      let isBroken = false
      return createCheckingStore((batch, verb) => {
        if (isBroken) throw new Error('used after a failed commit')
        holdsPoison ||= batch?.events.some(({ event }) => event === 'poison') ?? false
        if (verb === 'add' || !holdsPoison) return
        isBroken = true
        throw new FailedCommitError(new Error('Failed to commit: failed to pin block'))
      })
    }
    let attempts = 0
    for (let isStored = false; !isStored && attempts < 20; attempts++) {
      isStored = await index(rows, openBreakingStore()).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(FailedCommitError)
          return false
        },
      )
    }
    expect(attempts).toBeLessThan(20)
    expect(store.position()).toEqual(positionAfterRow(4))
    expect(rejected.map(({ inboxRow, reason }) => [inboxRow, reason])).toEqual([
      [3, 'Its events need more memory than the store may use'],
    ])
    expect(await select(store, 'SELECT event FROM events ORDER BY 1')).toEqual([['a'], ['b'], ['c']])
    expect(await select(store, 'SELECT count(*) FROM persons')).toEqual([[4]])
  })

  it('leaves out properties that make a person too large, and sets the others', async () => {
    const set = (n: number) => ({
      event: '$set',
      distinct_id: 'ada',
      properties: { $set: { [`k${n}`]: 'a'.repeat(200_000) } },
    })
    await index([1, 2, 3, 4].map((n) => createRow(n, [set(n)])))
    await index([createRow(5, [{ event: '$set', distinct_id: 'ada', properties: { $set: { small: 1 } } }])])
    const person = await readPerson(metadata, 1, 'ada')
    expect(Object.keys(person!.properties)).toEqual(['k1', 'k2', 'small'])
    expect(warnings.join()).toContain('exceed 524288 bytes')
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[5]])
  })

  it('stores a request of very many small events', async () => {
    const event = '{"event":"a","distinct_id":"1"},'
    const body = `{"api_key":"key","batch":[${event.repeat(199_999)}${event.slice(0, -1)}]}`
    await index([{ ...createRow(1, []), body: Buffer.from(body) }])
    expect(await select(store, 'SELECT count(*), count(DISTINCT uuid) FROM events')).toEqual([[200_000, 200_000]])
    expect(store.position()).toEqual(positionAfterRow(1))
  })

  it('rejects the row that the store cannot hold, and stores the others', async () => {
    const picky = createPickyStore('content')
    await index(
      ['a', 'poison', 'b'].map((event, n) => createRow(n + 1, [{ event, distinct_id: 'ada' }])),
      picky,
    )
    expect(store.position()).toEqual(positionAfterRow(3))
    expect(await select(store, 'SELECT event FROM events ORDER BY 1')).toEqual([['a'], ['b']])
  })

  it('rejects an event that is nested too deeply, and stores the others', async () => {
    const deep = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`
    const body = `{"api_key":"key","batch":[{"event":"deep","distinct_id":"ada","properties":{"a":${deep}}},
      {"event":"plain","distinct_id":"ada"}]}`
    await index([{ ...createRow(1, []), body: Buffer.from(body) }])
    expect(await select(store, 'SELECT event FROM events')).toEqual([['plain']])
  })

  /** As large together as a chunk. */
  const largeEvents = ['a', 'b', 'c'].map((event) => ({
    event,
    distinct_id: 'ada',
    properties: { text: 'x'.repeat(700_000) },
  }))

  it('commits several chunks together', async () => {
    let commits = 0
    const countingStore: EventStore = {
      ...store,
      commit() {
        commits += 1
        return store.commit()
      },
    }
    await index(
      [createRow(1, [{ event: 'small', distinct_id: 'ada' }]), ...[2, 3, 4].map((id) => createRow(id, largeEvents))],
      countingStore,
      createUpdater(),
      { chunksPerCommit: 2 },
    )
    expect(commits).toBe(2)
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[10]])
  })

  it('commits before a chunk that would exceed the events of a commit, so that no small group of rows remains', async () => {
    const counts: number[] = []
    let added = 0
    const counting = createCheckingStore((batch, verb) => {
      if (verb === 'add') added += batch!.events.length
      else {
        counts.push(added)
        added = 0
      }
    })
    const rows = [1, 2, 3, 4].map((id) => createRow(id, largeEvents))
    await index(rows, counting, createUpdater(), { eventsPerCommit: 7 })
    expect(counts).toEqual([6, 6])
    await index([createRow(5, largeEvents), createRow(6, largeEvents)], counting, createUpdater(), {
      eventsPerCommit: 1,
    })
    expect(counts).toEqual([6, 6, 3, 3])
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[18]])
  })

  it('finds duplicates in the chunks that are not committed yet', async () => {
    const uuid = '019a0000-0000-7000-8000-000000000001'
    const events = largeEvents.map((event) => ({ uuid, ...event }))
    await index([1, 2, 3].map((id) => createRow(id, events)))
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
  })

  it('parses and adds later chunks while the store commits', async () => {
    const steps: string[] = []
    const rows = [1, 2].map((id) => {
      const row = createRow(id, largeEvents)
      return Object.defineProperty({ ...row }, 'form', {
        get() {
          steps.push(`parse ${id}`)
          return row.form
        },
      })
    })
    const slowStore: EventStore = {
      ...store,
      async add(batch) {
        steps.push(`add ${batch.position.inboxRow}`)
        await store.add(batch)
      },
      async commit() {
        steps.push('commit')
        await store.commit()
        steps.push('committed')
      },
    }
    await index(rows, slowStore, createUpdater(), { chunksPerCommit: 1 })
    expect(steps).toEqual(['parse 1', 'parse 2', 'add 1', 'commit', 'add 2', 'committed', 'commit', 'committed'])
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[6]])
  })

  it('discards the chunks of a commit that failed, and stores them at the next attempt', async () => {
    const rows = [1, 2, 3].map((id) => createRow(id, largeEvents))
    const dying = createRefusingStore(({ position }) => (position.inboxRow === 3 ? new Error('disk full') : null))
    await expect(index(rows, dying)).rejects.toThrow('disk full')
    expect([store.position(), await select(store, 'SELECT count(*) FROM events')]).toEqual([positionAfterRow(0), [[0]]])
    await index(rows)
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[9]])
  })

  it('stores the rows that are added while it indexes others, in the same commit', async () => {
    const rowsOf = (...ids: number[]) => ids.map((id) => createRow(id, [{ event: `e${id}`, distinct_id: 'ada' }]))
    const added = [rowsOf(3), rowsOf(4, 5)]
    let commits = 0
    const counting = createCheckingStore((_batch, method) => (commits += method === 'commit' ? 1 : 0))
    await index(rowsOf(1, 2), counting, createUpdater(), { readMore: () => added.shift() ?? null })
    expect([commits, store.position()]).toEqual([1, positionAfterRow(5)])
    expect(await select(store, 'SELECT event FROM events ORDER BY event')).toEqual([
      ['e1'],
      ['e2'],
      ['e3'],
      ['e4'],
      ['e5'],
    ])
  })

  it('stores added rows one by one when one of them cannot be stored', async () => {
    const rowsOf = (...ids: number[]) => ids.map((id) => createRow(id, [{ event: `e${id}`, distinct_id: 'ada' }]))
    const added = [rowsOf(3, 4), rowsOf(5)]
    const refusing = createRefusingStore(({ events }) =>
      events.some(({ event }) => event === 'e4') ? new UnstorableError('content', new Error('refused')) : null,
    )
    const picky = {
      ...refusing,
      canStore: async (events: readonly StoredEvent[]) => events.every(({ event }) => event !== 'e4'),
    }
    await index(rowsOf(1, 2), picky, createUpdater(), { readMore: () => added.shift() ?? null })
    expect(store.position()).toEqual(positionAfterRow(5))
    expect(await select(store, 'SELECT event FROM events ORDER BY event')).toEqual([['e1'], ['e2'], ['e3'], ['e5']])
    expect(rejected.map(({ inboxRow }) => inboxRow)).toEqual([4])
  })

  it('commits the chunks so far when the process stops, and continues behind them', async () => {
    const rows = [1, 2, 3].map((id) => createRow(id, largeEvents))
    const stopping = new AbortController()
    const stoppedAtTheSecond = createRefusingStore(({ position }) => {
      if (position.inboxRow === 2) stopping.abort()
      return null
    })
    const options = { signal: stopping.signal }
    await expect(index(rows, stoppedAtTheSecond, createUpdater(), options)).rejects.toThrow('aborted')
    expect(store.position()).toEqual(positionAfterRow(2))
    await index(rows)
    expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[9]])
  })

  /** A store whose commits fail after the first ones, as when the process dies then. */
  const createDyingStore = (commits: number) => {
    const positions: RowPosition[] = []
    const dying: EventStore = {
      ...store,
      async commit() {
        if (positions.length >= commits) throw new Error('killed')
        await store.commit()
        positions.push(store.position())
      },
    }
    return { dying, positions }
  }

  it('stores a large request in several commits and continues inside it after a kill', async () => {
    const text = 'x'.repeat(1_000_000)
    const events = Array.from({ length: 30 }, (_, n) => ({
      event: `e${n}`,
      distinct_id: n % 2 === 0 ? 'ada' : 'bob',
      timestamp: new Date(1_600_000_000_000 + ((n * 7) % 30) * 1000).toISOString(),
      // A third of the events have no uuid and are only identified by their position.
      ...(n % 3 === 0 ? {} : { uuid: `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}` }),
      properties: { text, $set: { last: n }, $set_once: { first: n } },
    }))
    const rows = [
      createRow(1, [{ event: 'small', distinct_id: 'ada' }]),
      createRow(2, events),
      createRow(3, [events[1]]),
    ]
    const { dying, positions } = createDyingStore(2)
    await expect(index(rows, dying, createUpdater(), { chunksPerCommit: 1 })).rejects.toThrow('killed')
    expect(positions).toEqual([
      { inboxRow: 2, events: 3 },
      { inboxRow: 2, events: 6 },
    ])
    expect(store.position()).toEqual(positions[1])
    // The persons are one commit ahead of the events; their changes are not applied twice.
    const readNames = async () => (await select(store, 'SELECT count(*), count(DISTINCT event) FROM events'))[0]
    expect(await readNames()).toEqual([7, 7])
    await index(rows)
    expect(await readNames()).toEqual([31, 31])
    expect(store.position()).toEqual(positionAfterRow(3))
    const inOrder = events.map((_, n) => n).sort((a, b) => ((a * 7) % 30) - ((b * 7) % 30))
    for (const [id, remainder] of [
      ['ada', 0],
      ['bob', 1],
    ] as const) {
      const personEvents = inOrder.filter((n) => n % 2 === remainder)
      expect((await readPerson(metadata, 1, id))?.properties).toEqual({
        first: personEvents[0],
        last: personEvents.at(-1),
      })
    }
  })

  it('marks events of an import', async () => {
    const imported = [{ event: 'old', distinct_id: 'ada', timestamp: '2020-01-02T03:04:05Z' }]
    const body = Buffer.from(JSON.stringify({ api_key: 'key', historical_migration: true, batch: imported }))
    await index([{ ...createRow(1, []), body }, createRow(2, [{ event: 'new', distinct_id: 'ada' }])])
    expect(await select(store, 'SELECT event, historical FROM events ORDER BY 1')).toEqual([
      ['new', false],
      ['old', true],
    ])
  })

  it('loads large persons in chunks and stores their events in as many batches', async () => {
    const large = 'x'.repeat(500_000)
    const people = Array.from({ length: 45 }, (_, n) => `person ${n}`)
    for (const [n, distinct_id] of people.entries()) {
      const properties = { $set: { large, n } }
      await index([createRow(n + 1, [{ event: '$set', distinct_id, properties }])])
    }
    const added: RowPosition[] = []
    const dying = createRefusingStore(({ position }) => (added.push(position) > 1 ? new Error('killed') : null))
    // The events easily fit into one chunk; their persons do not.
    const touch = [
      createRow(
        100,
        [...people, ...people].map((distinct_id, n) => ({ event: 'a', distinct_id, $set: { touched: n } })),
      ),
    ]
    await expect(index(touch, dying)).rejects.toThrow('killed')
    expect(added[0]).toEqual({ inboxRow: 100, events: 33 })
    await index(touch)
    expect(store.position()).toEqual(positionAfterRow(100))
    const countEvents = "SELECT count(*), count(DISTINCT distinct_id) FROM events WHERE event = 'a'"
    expect(await select(store, countEvents)).toEqual([[90, 45]])
    expect(await select(store, 'SELECT count(*), min(length(properties)) > 500000 FROM persons')).toEqual([[45, true]])
    for (const [n, distinctId] of people.entries()) {
      expect((await readPerson(metadata, 1, distinctId))?.properties).toMatchObject({ n, touched: 45 + n })
    }
  })

  it('stores strings that are not valid Unicode, and finds their person again', async () => {
    const invalidId = 'ada\ud800\u0000'
    const events = [{ event: 'x\udc00', distinct_id: invalidId, properties: { a: '\ud800', $set: { b: '\udfff' } } }]
    await index([createRow(1, events)])
    await index([createRow(2, events)])
    expect(await select(store, "SELECT event, distinct_id, properties->>'a' FROM events")).toEqual([
      ['x\uFFFD', 'ada\uFFFD', '\uFFFD'],
      ['x\uFFFD', 'ada\uFFFD', '\uFFFD'],
    ])
    expect(await select(store, 'SELECT count(*) FROM persons')).toEqual([[1]])
  })

  it('provides persons and groups to flags', async () => {
    await index([
      createRow(1, [
        { event: '$set', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } },
        {
          event: '$groupidentify',
          distinct_id: 'ada',
          properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } },
        },
      ]),
    ])
    expect(await readPerson(metadata, 1, 'ada')).toMatchObject({
      id: derivePersonId(1, 'ada'),
      properties: { plan: 'pro' },
    })
    expect(await readPerson(metadata, 1, 'bob')).toBeUndefined()
    expect(await readPerson(metadata, 2, 'ada')).toBeUndefined()
    expect(await readGroups(metadata, 1, { company: 'acme', team: 'x' })).toEqual({ company: { seats: 5 } })
    expect(await readGroups(metadata, 1, {})).toEqual({})
  })

  const groupIdentify = (type: unknown, key: string, set = {}) => ({
    event: '$groupidentify',
    distinct_id: 'ada',
    properties: { $group_type: type, $group_key: key, $group_set: set },
  })
  const groupTypes = async () => (await readFlagSettings(metadata, 1)).groupTypes

  it('assigns indexes to group types in event order, once also after a replay', async () => {
    const rows = [
      createRow(1, [groupIdentify('company', 'acme'), groupIdentify('team', 'a'), groupIdentify('company', 'b')]),
      createRow(2, [groupIdentify('team', 'a'), groupIdentify('project', 'p')]),
      createRow(3, [{ event: 'a', distinct_id: 'ada', properties: { $groups: { never: 'identified' } } }]),
    ]
    await expect(index(rows, dyingStore())).rejects.toThrow('killed')
    const { revision } = await readFlagSettings(metadata, 1)
    await index(rows)
    await index([createRow(4, [groupIdentify('company', 'c')])])
    expect(await groupTypes()).toEqual({ 0: 'company', 1: 'team', 2: 'project' })
    expect((await readFlagSettings(metadata, 1)).revision).toBe(revision)
  })

  it('assigns the lowest free indexes up to five group types, then warns once', async () => {
    await setFlags(metadata, 1, { flags: [], group_type_mapping: { 1: 'by hand' } }, 1)
    // A group of a type that was mapped before its first event, and a type that is too long for an index.
    const early = [groupIdentify('by hand', 'x'), groupIdentify('x'.repeat(401), 'long')]
    const many = Array.from({ length: 60 }, (_, n) => groupIdentify(`type ${n}`, 'key', { n }))
    const updater = createUpdater()
    await index([createRow(1, [...early, ...many])], store, updater)
    await index([createRow(2, many)], store, updater)
    expect(await groupTypes()).toEqual({ 0: 'type 0', 1: 'by hand', 2: 'type 1', 3: 'type 2', 4: 'type 3' })
    expect(warnings).toEqual([expect.stringMatching(/^Group type "type 4" of project 1 has no index/)])
    expect(await readGroups(metadata, 1, { 'type 59': 'key' })).toEqual({ 'type 59': { n: 59 } })
  })
})
