import { describe, expect, it } from 'vitest'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import { NO_PERSON_UPDATE, UnstorableError } from '../../../src/service/store/events/event-store.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import { PERSON_TABLES } from '../../../src/service/store/events/clickhouse/schema.ts'
import { groupKey } from '../../../src/service/persons/person.ts'
import { positionAfterRow } from '../../../src/service/store/row-position.ts'
import { batchOf, select, storedEvent } from '../../contract/service-event-store.ts'
import { HAS_FAULTS } from './start-clickhouse.ts'
import { useClickHouse } from './store-under-test.ts'

const { getServer, create } = useClickHouse()

const [PERSON_ID, OTHER_ID, PUBLIC_ID] = ['1', '2', '3'].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]

/** A batch as the indexer makes it: without the events that are stored already. */
const index = async (store: EventStore, numbers: readonly number[]): Promise<void> => {
  const events = numbers.map((n) => storedEvent(n))
  const duplicates = await store.findDuplicates(events)
  await store.commit(
    batchOf(
      events.filter((event) => !duplicates.has(event)),
      { position: positionAfterRow(numbers.at(-1)!) },
    ),
  )
}

const uuidsIn = async (store: EventStore): Promise<readonly unknown[]> =>
  (
    (await select(store, 'SELECT uuid FROM events ORDER BY toString(uuid)', 10_000)) as readonly (readonly unknown[])[]
  ).flat()

const uuidsOf = (numbers: readonly number[]): readonly string[] => numbers.map((n) => storedEvent(n).uuid)

describe.skipIf(!HAS_FAULTS)('a store whose server fails', () => {
  it.each([
    ['refuses an insert', { kind: 'refuse', count: 1 }],
    ['loses the connection before an insert', { kind: 'drop_before', count: 1 }],
    ['loses the connection after an insert', { kind: 'drop_after', count: 1 }],
    [
      'loses the connection before the position is written',
      { kind: 'drop_before', matching: 'INSERT INTO `progress`', count: 1 },
    ],
    [
      'loses the connection after the position was written',
      { kind: 'drop_after', matching: 'INSERT INTO `progress`', count: 1 },
    ],
    ['is away', { kind: 'away' }],
  ] as const)('keeps each event once when it %s', async (_, fault) => {
    const store = await create().open()
    await index(store, [1, 2])
    await getServer().setFault(fault)
    await expect(index(store, [3, 4])).rejects.toThrow()
    expect(store.position()).toEqual(positionAfterRow(2))
    await getServer().setFault({ kind: 'none' })
    // The indexer reads the rows after the position again.
    await index(store, [3, 4, 5])
    expect(await uuidsIn(store)).toEqual(uuidsOf([1, 2, 3, 4, 5]))
    expect(store.position()).toEqual(positionAfterRow(5))
    await store.close()
  })

  it.each([...PERSON_TABLES, 'stored_events'])(
    'has the persons of a batch whose insert into %s failed',
    async (table) => {
      const store = await create().open()
      const stored = { bytes: 9, baseBytes: 9, changeBytes: 0 }
      const personOf = (id: string, plan: string) => ({ id, properties: { plan }, createdAt: 0, isIdentified: true })
      const groupOf = (key: string, plan: string) => ({ type: 'company', key, properties: { plan }, createdAt: 0 })
      const base = {
        persons: [{ ...personOf(PERSON_ID, 'old'), stored }],
        distinctIds: new Map([['anon', PERSON_ID]]),
        groups: [{ ...groupOf('acme', 'old'), stored }],
      }
      await store.commit(batchOf([], { persons: { ...base, revision: 1 } }))
      const update = {
        persons: [
          { ...personOf(PERSON_ID, 'new'), stored },
          { ...personOf(OTHER_ID, 'new'), publicId: PUBLIC_ID },
        ],
        distinctIds: new Map([['ada', OTHER_ID]]),
        groups: [{ ...groupOf('acme', 'new'), stored }, groupOf('other', 'new')],
        changedNames: new Map([PERSON_ID, groupKey('company', 'acme')].map((key) => [key, new Set(['plan'])])),
      }
      const commit = async (): Promise<void> => {
        const events = [storedEvent(1, { distinctId: 'ada' })]
        const duplicates = await store.findDuplicates(events)
        const added = events.filter((event) => !duplicates.has(event))
        // As the indexer does: events that are stored are not read again, and neither are their persons.
        const persons = { ...NO_PERSON_UPDATE, ...(added.length > 0 ? update : {}), revision: 2 }
        await store.commit(batchOf(added, { position: positionAfterRow(1), persons }))
      }
      await getServer().setFault({ kind: 'refuse', matching: `INSERT INTO \`${table}\``, count: 1 })
      await expect(commit()).rejects.toThrow()
      await getServer().setFault({ kind: 'none' })
      await commit()
      expect(await select(store, 'SELECT distinct_id, person_id FROM events')).toEqual([['ada', PUBLIC_ID]])
      for (const [owner, key] of [
        ['persons', 'id'],
        ['groups', 'group_key'],
      ])
        expect(await select(store, `SELECT properties FROM ${owner} ORDER BY toString(${key})`)).toEqual([
          ['{"plan":"new"}'],
          ['{"plan":"new"}'],
        ])
      await store.close()
    },
  )

  it('replaces outdated changes with the next attempt when the statement for it failed', async () => {
    const store = await create().open()
    const stored = { bytes: 9, baseBytes: 9, changeBytes: 0 }
    const write = async (revision: number, plan: string, names?: readonly string[]): Promise<void> => {
      const person = { id: PERSON_ID, properties: { plan }, createdAt: 0, isIdentified: true, stored }
      const changedNames = new Map(names && [[PERSON_ID, new Set(names)]])
      const persons = { persons: [person], distinctIds: new Map<string, string>(), groups: [], revision, changedNames }
      await store.commit(batchOf([], { position: positionAfterRow(revision), persons }))
    }
    await write(1, 'old')
    await write(2, 'secret', ['plan'])
    await getServer().setFault({ kind: 'refuse', matching: 'INSERT INTO stored_person_changes', count: 1 })
    await expect(write(3, 'new')).rejects.toThrow()
    await getServer().setFault({ kind: 'none' })
    await write(3, 'new')
    expect(await select(store, 'SELECT properties FROM persons')).toEqual([['{"plan":"new"}']])
    const [[value]] = (await select(store, 'SELECT max(value) FROM stored_person_changes FINAL')) as [[string]]
    expect(value).toBe('')
    await store.close()
  })

  it('says so when the rows of an insert can never be stored', async () => {
    const store = await create().open()
    await getServer().setFault({
      kind: 'refuse',
      code: 27,
      message: 'Cannot parse input. (CANNOT_PARSE_INPUT_ASSERTION_FAILED)',
    })
    await expect(index(store, [1])).rejects.toBeInstanceOf(UnstorableError)
    await getServer().setFault({ kind: 'none' })
    await store.close()
  })

  it('answers slowly, and stores each event once', async () => {
    const store = await create().open()
    await getServer().setFault({ kind: 'slow', delayMs: 300 })
    await index(store, [1, 2])
    await getServer().setFault({ kind: 'none' })
    expect(await uuidsIn(store)).toEqual(uuidsOf([1, 2]))
    await store.close()
  })

  it('tells that it is unavailable, and answers again', async () => {
    const store = await create().open()
    await index(store, [1])
    await getServer().setFault({ kind: 'away' })
    await expect(uuidsIn(store)).rejects.toMatchObject({ code: 'store_unavailable' })
    await getServer().setFault({ kind: 'none' })
    expect(await uuidsIn(store)).toEqual(uuidsOf([1]))
    await store.close()
  })

  it('keeps what it stored when it is killed and started again', async () => {
    const fixture = create()
    const store = await fixture.open()
    await index(store, [1, 2])
    await getServer().kill()
    await expect(index(store, [3])).rejects.toThrow()
    await getServer().restart()
    await index(store, [3])
    await store.close()
    const reopened = await fixture.open()
    expect(reopened.position()).toEqual(positionAfterRow(3))
    expect(await uuidsIn(reopened)).toEqual(uuidsOf([1, 2, 3]))
    await reopened.close()
  })
})

describe('two nodes', () => {
  const openNodes = async (): Promise<readonly [EventStore, EventStore]> => {
    const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
    const open = (node: string): Promise<EventStore> => openClickHouseStore({ server, projectId: 1, node })
    return [await open('a'), await open('b')]
  }

  it('that get the same event store it once, and each keeps its position', async () => {
    const [first, second] = await openNodes()
    const event = storedEvent(1)
    // Both have looked before one of them has stored it, and clocks differ.
    const later = storedEvent(1, {
      inboxRow: 9,
      timestamp: event.timestamp + 60_000,
      receivedAt: event.receivedAt + 500,
    })
    expect(await Promise.all([first.findDuplicates([event]), second.findDuplicates([later])])).toEqual([
      new Set(),
      new Set(),
    ])
    await Promise.all([first.commit(batchOf([event])), second.commit(batchOf([later]))])
    expect(await select(first, 'SELECT uuid, timestamp FROM events')).toEqual([
      [event.uuid, new Date(event.timestamp).toISOString()],
    ])
    expect([first.position(), second.position()]).toEqual([positionAfterRow(1), positionAfterRow(9)])
    await Promise.all([first.close(), second.close()])
  })
})
