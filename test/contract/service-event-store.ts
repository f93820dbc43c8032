import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { derivePersonId } from '../../src/service/persons/person-id.ts'
import type { EventBatch, EventStore, StoredEvent } from '../../src/service/store/events/event-store.ts'
import { groupKey } from '../../src/service/persons/person.ts'
import { positionAfterRow } from '../../src/service/store/row-position.ts'
import type { JsonObject } from '../../src/wire/json.ts'

/** The store of one project in a new folder. `open` opens the same store again after it was closed. */
export interface StoreUnderTest {
  open(): Promise<EventStore>
  cleanUp(): void | Promise<void>
}

export const storedEvent = (n: number, changes: Partial<StoredEvent> = {}): StoredEvent => ({
  uuid: `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
  inboxRow: n,
  index: 0,
  event: 'a',
  distinctId: 'ada',
  timestamp: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  receivedAt: Date.UTC(2026, 0, 2, 3, 4, 6),
  isHistorical: false,
  properties: {},
  ...changes,
})

export const batchOf = (events: readonly StoredEvent[], changes: Partial<EventBatch> = {}): EventBatch => ({
  position: positionAfterRow(events.at(-1)?.inboxRow ?? 1),
  events,
  persons: { persons: [], distinctIds: new Map(), groups: [] },
  rejected: [],
  ...changes,
})

export const select = async (store: EventStore, sql: string, maxRows = 100): Promise<readonly unknown[]> =>
  (await store.query({ sql, timeoutMs: 10_000, maxRows })).rows

/** The SQL of an engine, where engines differ. */
export interface StoreSql {
  /** A table of the numbers from 0 to before `end` in the column `n`. */
  readonly numbers: (end: number) => string
  /** The property of events as text. */
  readonly property: (name: string) => string
  /** The same in the words of an error. */
  readonly readProperty: (name: string) => string
  /** A SELECT of a million numbers of which one is the string `x`, which is none. */
  readonly failsLate: string
  /** The part of the error that names the string. */
  readonly failure: string
  readonly hash: (expression: string) => string
  /** Further SELECTs that are rejected as `invalid`. */
  readonly invalid: readonly string[]
}

const DUCKDB_SQL: StoreSql = {
  numbers: (end) => `(SELECT range AS n FROM range(${end}))`,
  property: (name) => `properties->>'${name}'`,
  readProperty: (name) => `properties->>'${name}'`,
  failsLate: "SELECT (CASE n WHEN 900000 THEN 'x' ELSE '1' END)::INTEGER FROM range(1000000) AS numbers(n)",
  failure: "string 'x'",
  hash: (expression) => `hash(${expression})`,
  invalid: ['SELECT 1 NOT BETWEEN SYMMETRIC 1 AND 2'],
}

const OWNERS = ['one', 'two', 'three']

const PROPERTY_NAMES = ['a', 'b', 'c d', '__proto__', 'e/~"\\', 'é', '']

const anyProperties = fc
  .array(
    fc.tuple(
      fc.constantFrom(...PROPERTY_NAMES),
      fc.constantFrom(null, 1, -2.5, 'x', '"}', '\n,"a":1\n', { a: null, b: [{ c: null }] }, 'long'.repeat(3_000)),
    ),
    { maxLength: 4 },
  )
  .map((entries): JsonObject => Object.fromEntries(entries))

/** A write of all properties of a person and a group, or of some; or a merge of the person into the next one. */
const anyPropertyStep = fc.record({
  kind: fc.constantFrom('whole', 'change', 'change', 'change', 'merge'),
  owner: fc.nat(OWNERS.length - 1),
  set: anyProperties,
  unset: fc.array(fc.constantFrom(...PROPERTY_NAMES), { maxLength: 2 }),
  ends: fc.constantFrom('not', 'not', 'commit', 'commit', 'close'),
})

const sortNames = (properties: JsonObject): unknown => Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))

/** What SQL reads of a property as text. */
const toText = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)

/** Longest time of a property test: a cluster takes half a minute on a machine that does nothing else. */
const MAX_PROPERTY_MS = 180_000

/** Tests that every adapter of the service's `EventStore` must pass, through its SQL. */
export const serviceEventStoreContract = (create: () => StoreUnderTest, sqlOf: StoreSql = DUCKDB_SQL): void => {
  const { numbers, property, hash } = sqlOf
  const slowSql = `SELECT count(*) FROM ${numbers(1_000_000)} AS a, ${numbers(1_000_000)} AS b WHERE a.n % 7 = b.n % 11`
  describe("the service's event store", () => {
    let fixture: StoreUnderTest
    let store: EventStore
    beforeEach(async () => {
      fixture = create()
      store = await fixture.open()
    })
    afterEach(async () => {
      await store.close()
      await fixture.cleanUp()
    })

    it('is empty and at position 0 when it is new', async () => {
      expect(store.position()).toEqual(positionAfterRow(0))
      expect(await select(store, 'SELECT * FROM events')).toEqual([])
    })

    it('keeps committed events after it was closed', async () => {
      const properties = { $browser: 'Firefox', price: 9.5, '€': ['😀', null, { "it's": '"' }] }
      await store.commit(batchOf([storedEvent(7, { properties })]))
      await store.close()
      store = await fixture.open()
      expect(store.position()).toEqual(positionAfterRow(7))
      expect(
        await select(
          store,
          'SELECT uuid, event, distinct_id, timestamp, received_at, properties, "$browser" FROM events',
        ),
      ).toEqual([
        [
          storedEvent(7).uuid,
          'a',
          'ada',
          '2026-01-02T03:04:05.678Z',
          '2026-01-02T03:04:06.000Z',
          JSON.stringify(properties),
          'Firefox',
        ],
      ])
    })

    it('keeps a position inside an inbox row, and marks imported events', async () => {
      const position = { inboxRow: 7, events: 2 }
      const events = [storedEvent(7, { isHistorical: true }), storedEvent(8, { inboxRow: 7, index: 1 })]
      await store.commit(batchOf(events, { position }))
      await store.close()
      store = await fixture.open()
      expect(store.position()).toEqual(position)
      expect(await select(store, 'SELECT historical FROM events ORDER BY uuid')).toEqual([[true], [false]])
      await store.commit(batchOf([], { position: positionAfterRow(7) }))
      expect(store.position()).toEqual(positionAfterRow(7))
    })

    it('finds a duplicate by its uuid, even with another timestamp', async () => {
      await store.commit(batchOf([storedEvent(1)]))
      const sameEvent = storedEvent(1, { inboxRow: 5, timestamp: 0 })
      const newEvent = storedEvent(2, { inboxRow: 5, index: 1 })
      expect([...(await store.findDuplicates([sameEvent, newEvent]))]).toEqual([sameEvent])
    })

    it.each([
      ['version 7', storedEvent(3).uuid],
      ['version 4', 'c9bf9e57-1685-4c89-bafb-ff5af830be8a'],
    ])('finds duplicates in one list, but not of an event with itself (%s)', async (_, uuid) => {
      const first = storedEvent(3, { uuid })
      const second = storedEvent(3, { uuid, index: 1 })
      expect([...(await store.findDuplicates([first, second]))]).toEqual([second])
      // The process was killed before the commit, so the same rows are read again.
      expect([...(await store.findDuplicates([{ ...first }]))]).toEqual([])
      await store.commit(batchOf([first]))
      const later = storedEvent(4, { uuid })
      expect([...(await store.findDuplicates([later]))]).toEqual([later])
    })

    it('keeps its person revision, and replaces all persons with replacesAll', async () => {
      expect(store.personRevision()).toBe(0)
      const [ada, bob] = [derivePersonId(1, 'ada'), derivePersonId(1, 'bob')]
      const personChangesOf = (distinctId: string, id: string) => ({
        persons: [{ id, properties: {}, createdAt: 1000, isIdentified: false }],
        distinctIds: new Map([[distinctId, id]]),
        groups: [{ type: 'company', key: distinctId, properties: {}, createdAt: 1000 }],
      })
      await store.commit(batchOf([storedEvent(1)], { persons: { ...personChangesOf('ada', ada), revision: 7 } }))
      await store.commit(batchOf([], { position: positionAfterRow(2) }))
      expect(store.personRevision()).toBe(7)
      // Of metadata that have forgotten changes.
      await store.commit(
        batchOf([], { position: positionAfterRow(2), persons: { ...personChangesOf('ada', ada), revision: 5 } }),
      )
      expect(store.personRevision()).toBe(7)
      await store.close()
      store = await fixture.open()
      expect(store.personRevision()).toBe(7)
      await store.commit(
        batchOf([], {
          position: positionAfterRow(2),
          persons: { ...personChangesOf('bob', bob), revision: 3, replacesAll: true },
        }),
      )
      expect(store.personRevision()).toBe(3)
      expect(await select(store, 'SELECT id FROM persons')).toEqual([[bob]])
      expect(await select(store, 'SELECT distinct_id FROM person_distinct_ids')).toEqual([['bob']])
      expect(await select(store, 'SELECT group_key FROM groups')).toEqual([['bob']])
      expect(await select(store, 'SELECT person_id FROM events')).toEqual([[ada]])
    })

    it('replaces persons, distinct ids and groups, even if a commit is repeated', async () => {
      const [ada, anon] = [derivePersonId(1, 'ada'), derivePersonId(1, 'anon')]
      const person = { id: ada, properties: { plan: 'pro' }, createdAt: 1000, isIdentified: false }
      const group = { type: 'company', key: 'acme', properties: { seats: 5 }, createdAt: 1000 }
      const events = [storedEvent(1), storedEvent(2, { distinctId: 'anon' })]
      const before = {
        persons: [person, { ...person, id: anon }],
        distinctIds: new Map([
          ['ada', ada],
          ['anon', anon],
        ]),
        groups: [group],
      }
      await store.commit(batchOf(events, { persons: before }))
      expect(await select(store, 'SELECT count(DISTINCT person_id) FROM events')).toEqual([[2]])

      const replaced = {
        persons: [{ ...person, properties: { plan: 'free' }, isIdentified: true }],
        distinctIds: new Map([
          ['ada', ada],
          ['anon', ada],
        ]),
        groups: [{ ...group, properties: { seats: 6 } }],
      }
      await store.commit(batchOf([], { position: positionAfterRow(3), persons: replaced }))
      await store.commit(batchOf([], { position: positionAfterRow(4), persons: replaced }))
      expect(await select(store, 'SELECT DISTINCT person_id FROM events')).toEqual([[ada]])
      expect(await select(store, 'SELECT * FROM persons')).toEqual([
        [ada, '{"plan":"free"}', '1970-01-01T00:00:01.000Z', true],
      ])
      expect(await select(store, 'SELECT * FROM person_distinct_ids ORDER BY 1')).toEqual([
        ['ada', ada],
        ['anon', ada],
      ])
      expect(await select(store, 'SELECT group_type, group_key, properties FROM groups')).toEqual([
        ['company', 'acme', '{"seats":6}'],
      ])
    })

    it(
      'keeps the properties that a change of a person or group does not name',
      { timeout: MAX_PROPERTY_MS },
      async () => {
        const [ids, keys] = [OWNERS.map((name) => derivePersonId(1, name)), OWNERS]
        let row = 0
        await fc.assert(
          fc.asyncProperty(fc.array(anyPropertyStep, { maxLength: 8 }), async (steps) => {
            const expected = new Map<number, JsonObject>()
            const write = (persons: Partial<EventBatch['persons']>): EventBatch => {
              const position = positionAfterRow((row += 1))
              const none = { persons: [], distinctIds: new Map<string, string>(), groups: [] }
              return batchOf([], { position, persons: { ...none, revision: row, ...persons } })
            }
            await store.commit(write({ replacesAll: true }))
            for (const step of steps) {
              const before = expected.get(step.owner)
              if (step.kind === 'merge') {
                expected.delete(step.owner)
                const other = (step.owner + 1) % OWNERS.length
                await store.add(write({ distinctIds: new Map([[OWNERS[step.owner]!, ids[other]!]]) }))
              } else {
                const names = new Set([...Object.keys(step.set), ...step.unset])
                const others = Object.entries(before ?? {}).filter(([name]) => !names.has(name))
                const added = Object.entries(step.set).filter(([name]) => !step.unset.includes(name))
                const properties = Object.fromEntries([...others, ...added])
                const [id, key] = [ids[step.owner]!, keys[step.owner]!]
                expected.set(step.owner, properties)
                const changedNames = new Map(
                  before && step.kind === 'change'
                    ? [
                        [id, names],
                        [groupKey('g', key), names],
                      ]
                    : [],
                )
                // As if it were large.
                const stored = { bytes: 100, baseBytes: 100, changeBytes: 0 }
                const times = { createdAt: 1000 * row, properties, stored }
                const persons = [{ id, isIdentified: row % 2 === 0, ...times }]
                await store.add(write({ persons, groups: [{ type: 'g', key, ...times }], changedNames }))
              }
              if (step.ends !== 'not') await store.commit()
              if (step.ends === 'close') {
                await store.close()
                store = await fixture.open()
              }
            }
            await store.commit()
            const shown = async (table: string, key: string, of: readonly string[]) => {
              const read = PROPERTY_NAMES.slice(0, 3).map(property).join(', ')
              const rows = (await select(
                store,
                `SELECT ${key}, properties, created_at, ${read} FROM ${table}`,
              )) as string[][]
              const byOwner = (a: readonly unknown[], b: readonly unknown[]) => Number(a[0]) - Number(b[0])
              return rows
                .map(([id, json, , ...texts]) => [of.indexOf(id!), sortNames(JSON.parse(json!)), texts])
                .toSorted(byOwner)
            }
            const expectedRows = [...expected]
              .map(([owner, properties]) => [
                owner,
                sortNames(properties),
                PROPERTY_NAMES.slice(0, 3).map((name) => toText(properties[name])),
              ])
              .toSorted((a, b) => Number(a[0]) - Number(b[0]))
            expect(await shown('persons', 'id', ids)).toEqual(expectedRows)
            const groups = await shown('groups', 'group_key', keys)
            expect(groups.filter(([owner]) => expected.has(owner as number))).toEqual(expectedRows)
          }),
          { numRuns: 12 },
        )
      },
    )

    it('shows the public ids of persons, also of a large one whose distinct ids stay as they are in a merge', async () => {
      const [big, main, last] = ['big', 'main', 'last'].map((id) => derivePersonId(1, id)) as [string, string, string]
      const properties = { plan: 'pro' }
      const personOf = (id: string) => ({ id, properties, createdAt: 1000, isIdentified: false })
      const ids = (...distinctIds: string[]) => new Map(distinctIds.map((distinctId) => [distinctId, big]))
      const events = ['big', 'anon', 'main', 'last'].map((distinctId, n) => storedEvent(n + 1, { distinctId }))
      await store.commit(
        batchOf(events, {
          persons: {
            persons: [big, main, last].map(personOf),
            distinctIds: new Map([...ids('big', 'anon'), ['main', main], ['last', last]]),
            groups: [],
          },
        }),
      )
      const shows = async (publicId: string, distinctIds: readonly string[]): Promise<void> => {
        const list = distinctIds.map((id) => `'${id}'`).join()
        expect(await select(store, `SELECT DISTINCT person_id FROM events WHERE distinct_id IN (${list})`)).toEqual([
          [publicId],
        ])
        expect(await select(store, 'SELECT count(DISTINCT person_id), count(*) FROM events')).toEqual([
          [5 - distinctIds.length, 4],
        ])
        expect(
          await select(store, `SELECT DISTINCT person_id FROM person_distinct_ids WHERE distinct_id IN (${list})`),
        ).toEqual([[publicId]])
        expect(await select(store, `SELECT count(*) FROM events WHERE person_id = '${publicId}'`)).toEqual([
          [distinctIds.length],
        ])
        expect(await select(store, `SELECT id, properties FROM persons WHERE id = '${publicId}'`)).toEqual([
          [publicId, '{"plan":"pro"}'],
        ])
        expect(await select(store, 'SELECT count(*), count(DISTINCT id) FROM persons')).toEqual([
          [5 - distinctIds.length, 5 - distinctIds.length],
        ])
      }
      const merge = async (inboxRow: number, publicId: string, distinctId: string): Promise<void> => {
        const persons = { persons: [{ ...personOf(big), publicId }], distinctIds: ids(distinctId), groups: [] }
        const batch = batchOf([], { position: positionAfterRow(inboxRow), persons })
        await store.add(batch)
        await store.discard()
        await store.commit(batch)
        await store.commit(batch)
      }
      await shows(big, ['big', 'anon'])
      await merge(5, main, 'main')
      await shows(main, ['big', 'anon', 'main'])
      await merge(6, last, 'last')
      await shows(last, ['big', 'anon', 'main', 'last'])
      const replaced = { persons: [personOf(big)], distinctIds: ids('big', 'anon'), groups: [] }
      await store.commit(batchOf([], { position: positionAfterRow(7), persons: { ...replaced, replacesAll: true } }))
      expect(await select(store, 'SELECT id FROM persons')).toEqual([[big]])
      expect(await select(store, 'SELECT DISTINCT person_id FROM person_distinct_ids')).toEqual([[big]])
    })

    it('stores added batches with the next commit', async () => {
      await store.add(batchOf([storedEvent(1)]))
      await store.add(batchOf([storedEvent(2)]))
      expect([store.position().inboxRow, await select(store, 'SELECT count(*) FROM events')]).toEqual([0, [[0]]])
      await store.commit(batchOf([storedEvent(3)]))
      expect([store.position().inboxRow, await select(store, 'SELECT count(*) FROM events')]).toEqual([3, [[3]]])
    })

    it('finds the properties of events that are added while a commit runs', async () => {
      const planEvents = (first: number, count: number) =>
        Array.from({ length: count }, (_, n) => storedEvent(first + n, { properties: { plan: 'pro' } }))
      // Enough events for the store to adapt to their properties.
      await store.add(batchOf(planEvents(1, 2500)))
      const commit = store.commit()
      await store.add(batchOf(planEvents(2501, 100)))
      await commit
      await store.commit()
      const sql = `SELECT count(*), count(${property('plan')}) FROM events`
      expect(await select(store, sql)).toEqual([[2600, 2600]])
    })

    it.each([
      ['discard', () => store.discard()],
      ['canStore', () => store.canStore([storedEvent(6)])],
    ])('forgets added batches and their position with %s', async (_, forget) => {
      await store.commit(batchOf([storedEvent(1)]))
      await store.add(batchOf([storedEvent(5)]))
      await forget()
      await store.commit()
      expect(store.position()).toEqual(positionAfterRow(1))
      expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
      await store.close()
      store = await fixture.open()
      expect(store.position()).toEqual(positionAfterRow(1))
    })

    it('cuts a result at maxRows and reports it', async () => {
      const sql = `SELECT n FROM ${numbers(5000)} AS numbers ORDER BY n`
      const cutResult = await store.query({ sql, timeoutMs: 10_000, maxRows: 3000 })
      expect([cutResult.rows.length, cutResult.hasMore]).toEqual([3000, true])
      const wholeResult = await store.query({ sql, timeoutMs: 10_000, maxRows: 5000 })
      expect([wholeResult.rows.length, wholeResult.hasMore, wholeResult.columns]).toEqual([5000, false, ['n']])
    })

    it('returns rows as lines of JSON', async () => {
      const sql = `SELECT n, 'ü\n"' AS text, NULL AS nothing FROM ${numbers(3)} AS numbers ORDER BY n`
      const { lines, ...answer } = await store.queryLines({ sql, timeoutMs: 10_000, maxRows: 2 })
      expect(answer).toMatchObject({ columns: ['n', 'text', 'nothing'], hasMore: true })
      expect(new TextDecoder().decode(lines)).toBe('[0,"ü\\n\\"",null]\n[1,"ü\\n\\"",null]\n')
    })

    it('tells why a query fails after its first rows', async () => {
      const query = store.query({ sql: sqlOf.failsLate, timeoutMs: 60_000, maxRows: 1_000_000 })
      await expect(query).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(sqlOf.failure) })
    })

    it('stops a query at its timeout that has begun to give rows', async () => {
      const sql = `SELECT n FROM ${numbers(100_000_000_000)} AS numbers WHERE ${hash('n')} % 10000 = 0`
      const query = store.query({ sql, timeoutMs: 500, maxRows: 10_000_000 })
      await expect(query).rejects.toMatchObject({ code: 'timeout' })
    })

    it('stops a query at its timeout and runs the next one', async () => {
      const sql = slowSql
      await expect(store.query({ sql, timeoutMs: 100, maxRows: 1 })).rejects.toMatchObject({ code: 'timeout' })
      expect(await select(store, 'SELECT 1')).toEqual([[1]])
    })

    it('tells how far a query is, stops it when it is cancelled, and runs the next one', async () => {
      await store.commit(batchOf(Array.from({ length: 200 }, (_, n) => storedEvent(n + 1))))
      const sql = `SELECT count(*) FROM events a, events b, events c, events d, events e
        WHERE ${hash('a.uuid')} % 7 = ${hash('e.uuid')} % 11`
      const canceller = new AbortController()
      let query: Promise<unknown> = Promise.resolve()
      const progress = await new Promise((resolve, reject) => {
        const control = { signal: canceller.signal, onProgress: resolve }
        query = store.query({ sql, timeoutMs: 60_000, maxRows: 1 }, control)
        query.then(() => reject(new Error('It ended without telling how far it is.')), reject)
      })
      expect(progress).toEqual({ rowsRead: expect.any(Number), estimatedRows: expect.any(Number) })
      canceller.abort()
      await expect(query).rejects.toMatchObject({ code: 'cancelled' })
      expect(await select(store, 'SELECT 1')).toEqual([[1]])
    })

    it('rejects a cancelled query with a code of its own', async () => {
      const sql = slowSql
      for (const delayMs of [0, 1, 20, 100]) {
        const signal = AbortSignal.timeout(delayMs)
        const query = store.query({ sql, timeoutMs: 60_000, maxRows: 1 }, { signal })
        await expect(query).rejects.toMatchObject({ name: 'QueryError', code: 'cancelled' })
      }
    })

    it('accepts commits while a query runs', async () => {
      const slowQuery = store
        .query({
          sql: slowSql,
          timeoutMs: 2000,
          maxRows: 1,
        })
        .catch(() => undefined)
      await store.commit(batchOf([storedEvent(1)]))
      expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
      await slowQuery
    })

    it('says what to write in the place of a column that does not exist', async () => {
      const messageOf = (sql: string): Promise<string> =>
        select(store, sql).then(
          () => 'none',
          (error: Error) => error.message,
        )
      for (const sql of [
        'SELECT plan FROM events',
        'SELECT e.plan FROM events e',
        'SELECT count(*) FROM events GROUP BY plan',
      ])
        expect(await messageOf(sql)).toContain(`A property is read as ${sqlOf.readProperty('plan')}.`)
      expect(await messageOf('SELECT count(*) FROM events WHERE event = "sign up"')).toContain("a string as 'sign up'.")
      expect(await messageOf('SELECT evnt FROM events')).toContain('Did you mean the column "event"?')
    })

    it.each([
      ['syntax', 'SELECT FROM WHERE'],
      ['not_select', 'DELETE FROM persons'],
      ['not_select', 'SELECT 1; SELECT 2'],
      ['not_select', ''],
      ['invalid', 'SELECT nothing_of_that_name FROM events'],
      ['invalid', "SELECT 'x'::INTEGER"],
      ...sqlOf.invalid.map((sql) => ['invalid', sql] as const),
    ] as const)('rejects with the code %s the query %j', async (code, sql) => {
      await expect(select(store, sql)).rejects.toMatchObject({ name: 'QueryError', code })
    })
  })
}
