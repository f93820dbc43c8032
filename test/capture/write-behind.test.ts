import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWriteBehind } from '../../src/capture/write-behind.ts'
import type { WriteBehind } from '../../src/capture/write-behind.ts'
import type { EventStore, StoreEntry } from '../../src/port/event-store.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { sharedStore } from '../support/shared-store.ts'
import type { SharedStore } from '../support/shared-store.ts'

interface Fixture {
  readonly store: WriteBehind
  readonly disk: SharedStore
  readonly clock: ManualClock
  readonly failures: unknown[]
  /** Values of each transaction that the disk got. */
  readonly writes: (string | undefined)[][]
  /** The same of those that read a record first. */
  readonly updates: (string | undefined)[][]
}

const createFixture = (openStore?: () => Promise<EventStore | undefined>): Fixture => {
  const clock = manualClock()
  const disk = sharedStore()
  const failures: unknown[] = []
  const writes: (string | undefined)[][] = []
  const updates: (string | undefined)[][] = []
  const connection = disk.connect(() => true)
  const open = async (): Promise<EventStore> => ({
    ...connection,
    write: (entries: readonly StoreEntry[]) => {
      writes.push(entries.map(([, value]) => value))
      return connection.write(entries)
    },
    update: (key, change) =>
      connection.update(key, (value) => {
        const entries = change(value)
        updates.push(entries.map(([, changed]) => changed))
        return entries
      }),
  })
  const store = createWriteBehind(openStore ?? open, clock, (error) => failures.push(error))
  return { store, disk, clock, failures, writes, updates }
}

const createOpenFixture = async (): Promise<Fixture> => {
  const fixture = createFixture()
  fixture.store.startWriting()
  await fixture.store.keys('', '~')
  return fixture
}

const putAll = (store: WriteBehind, ...keys: string[]): void => keys.forEach((key) => store.put(key, key))
const keysOnDisk = ({ disk }: Fixture): Promise<string[]> => disk.disk.keys('', '~')

describe('write-behind', () => {
  it('opens the store at first use only', async () => {
    let isOpened = false
    const store = createWriteBehind(
      async () => {
        isOpened = true
        return undefined
      },
      manualClock(),
      () => {},
    )
    store.put('a', '1')
    expect(isOpened).toBe(false)
    expect(await store.keys('', '~')).toEqual(['a'])
    expect(isOpened).toBe(true)
  })

  it('shows puts at once, and writes the last put of each key once per turn', async () => {
    const { store, clock, writes } = await createOpenFixture()
    store.put('c/state', '1')
    putAll(store, 'a', 'b')
    store.put('c/state', '2')
    expect(await store.read('', '~', 9)).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['c/state', '2'],
    ])
    await clock.advance(0)
    expect(writes).toEqual([['2', 'a', 'b']])
  })

  it('writes a burst in chunks, even when whenWritten() waits for it', async () => {
    const { store, writes } = await createOpenFixture()
    for (let n = 0; n < 600; n++) store.put(String(n), '')
    await store.whenWritten()
    expect(writes.map((values) => values.length)).toEqual([250, 250, 100])
  })

  it('writes nothing until writing is started', async () => {
    const fixture = createFixture()
    putAll(fixture.store, 'a')
    fixture.store.writeNow()
    let isWritten = false
    const whenWritten = fixture.store.whenWritten().then(() => (isWritten = true))
    await fixture.clock.advance(0)
    expect([fixture.writes, isWritten]).toEqual([[], false])
    fixture.store.startWriting()
    await whenWritten
    expect(await keysOnDisk(fixture)).toEqual(['a'])
  })

  it('starts all writes at once on writeNow()', async () => {
    const { store, writes } = await createOpenFixture()
    for (let n = 0; n < 600; n++) store.put(String(n), '')
    store.writeNow()
    expect(writes.map((values) => values.length)).toEqual([600])
  })

  it('knows which values are stored', async () => {
    const { store } = await createOpenFixture()
    putAll(store, 'a')
    await store.whenWritten()
    putAll(store, 'b')
    expect([store.isStored('a'), store.isStored('b')]).toEqual([true, false])
  })

  it('writes puts from before the store was open, in order', async () => {
    let open = (_store: EventStore): void => {}
    const fixture = createFixture(() => new Promise((resolve) => (open = resolve)))
    fixture.store.startWriting()
    putAll(fixture.store, 'a')
    const keys = fixture.store.keys('', '~')
    expect([fixture.store.isOpen(), fixture.store.isReliable()]).toEqual([false, false])
    open(fixture.disk.connect(() => true))
    expect(await keys).toEqual(['a'])
    await fixture.store.whenWritten()
    expect([fixture.store.isOpen(), fixture.store.isReliable()]).toEqual([true, true])
    expect(await keysOnDisk(fixture)).toEqual(['a'])
  })

  it.each([
    ['cannot be opened', () => Promise.reject(new Error('no')), [new Error('no')]],
    ['is turned off', () => Promise.resolve(undefined), []],
  ])('keeps everything in memory when the store %s', async (_name, openStore, expected) => {
    const { store, failures } = createFixture(openStore)
    store.startWriting()
    putAll(store, 'a', 'b')
    await store.whenWritten()
    store.put('a', undefined)
    await store.whenWritten()
    expect(await store.read('', '~', 9)).toEqual([['b', 'b']])
    expect([store.isOpen(), store.isReliable(), store.isStored('b'), failures]).toEqual([true, false, false, expected])
  })

  it('opens with one transaction, which reads a record and writes what is due then', async () => {
    const fixture = createFixture()
    await fixture.disk.disk.write([['state', 'stored']])
    putAll(fixture.store, 'a')
    await fixture.store.open('state', (value) => {
      fixture.store.put('state', `${value}, changed`)
      fixture.store.startWriting()
    })
    await fixture.clock.advance(0)
    expect([fixture.writes, fixture.updates]).toEqual([[], [['a', 'stored, changed']]])
    expect(await fixture.disk.disk.read('', '~', 9)).toEqual([
      ['a', 'a'],
      ['state', 'stored, changed'],
    ])
    expect([fixture.store.isStored('a'), fixture.store.isStored('state'), fixture.clock.pending()]).toEqual([
      true,
      true,
      0,
    ])
  })

  it('writes in further transactions what is too much for the first, or follows while it is written', async () => {
    const fixture = createFixture()
    for (let n = 0; n < 300; n++) fixture.store.put(String(n), '')
    const opening = fixture.store.open('state', fixture.store.startWriting)
    await Promise.resolve()
    putAll(fixture.store, 'later')
    await opening
    await fixture.store.whenWritten()
    expect([...fixture.updates, ...fixture.writes].map(({ length }) => length)).toEqual([250, 51])
    expect(await keysOnDisk(fixture)).toHaveLength(301)
  })

  it('works in memory after 2 s when the first transaction does not end, and uses it when it ends later', async () => {
    const fixture = createFixture()
    const { disk } = fixture.disk
    await disk.write([['state', 'stored']])
    let end = (): void => {}
    const whenEnded = new Promise<void>((resolve) => (end = resolve))
    const store = createWriteBehind(
      async () => ({ ...disk, update: (key, change) => whenEnded.then(() => disk.update(key, change)) }),
      fixture.clock,
      (error) => fixture.failures.push(error),
    )
    const values: unknown[] = []
    const opening = store.open('state', (value) => values.push(value))
    store.startWriting()
    putAll(store, 'a')
    const keys = store.keys('', '~')
    const whenWritten = store.whenWritten()
    await fixture.clock.advance(2_000)
    expect(await keys).toEqual(['a'])
    await whenWritten
    expect([values, fixture.failures, store.isReliable(), store.isOpen()]).toEqual([[], ['timeout'], false, true])
    end()
    await opening
    await store.whenWritten()
    expect([values, store.isReliable(), store.isStored('a')]).toEqual([['stored'], true, true])
    expect(await disk.keys('', '~')).toEqual(['a', 'state'])
  })

  it('reads the record of a disk that refuses writes', async () => {
    const fixture = createFixture()
    const { disk } = fixture.disk
    await disk.write([['state', 'stored']])
    const store = createWriteBehind(
      async () => ({ ...disk, update: () => Promise.reject(new Error('full')) }),
      fixture.clock,
      (error) => fixture.failures.push(error),
    )
    const values: unknown[] = []
    await store.open('state', (value) => values.push(value))
    expect([values, store.isReliable(), store.isOpen()]).toEqual([['stored'], false, true])
  })

  it('rejects with the error of the listener, and goes on writing', async () => {
    const fixture = createFixture()
    putAll(fixture.store, 'a')
    await expect(
      fixture.store.open('state', () => {
        fixture.store.startWriting()
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await fixture.store.whenWritten()
    expect([await keysOnDisk(fixture), fixture.failures]).toEqual([['a'], []])
  })

  it('writes nothing in a transaction that it has given up, as that of an app may begin late', async () => {
    const fixture = createFixture()
    const { disk } = fixture.disk
    let begin: () => unknown = () => undefined
    const store = createWriteBehind(
      async () => ({
        ...disk,
        update(_key, change) {
          begin = () => change('late')
          return Promise.reject(new Error('timeout'))
        },
      }),
      fixture.clock,
      () => {},
    )
    await store.open('state', store.startWriting)
    putAll(store, 'a')
    expect(begin()).toEqual([])
    await store.whenWritten()
    expect(await disk.keys('', '~')).toEqual(['a'])
  })

  it.each([
    ['is turned off', () => Promise.resolve(undefined)],
    ['cannot be opened', () => Promise.reject(new Error('no'))],
  ])('passes on no record when the store %s', async (_name, openStore) => {
    const { store } = createFixture(openStore)
    const values: unknown[] = []
    await store.open('state', (value) => values.push(value))
    expect(values).toEqual([undefined])
  })

  it('passes on the record once, and keeps what was due, when the first transaction fails or is repeated', async () => {
    const fixture = createFixture()
    const { disk } = fixture.disk
    let isRefused = true
    const store = createWriteBehind(
      async () => ({
        ...disk,
        async update(key, change) {
          change('first')
          if (isRefused) throw new Error('full')
          await disk.update(key, change)
        },
      }),
      fixture.clock,
      (error) => fixture.failures.push(error),
    )
    const values: unknown[] = []
    putAll(store, 'a')
    await store.open('state', (value) => {
      values.push(value)
      store.startWriting()
    })
    expect([values, fixture.failures, store.isStored('a')]).toEqual([['first'], [new Error('full')], false])
    putAll(store, 'b')
    await store.whenWritten()
    expect(await disk.keys('', '~')).toEqual(['a', 'b'])
    isRefused = false
    putAll(store, 'c')
    await store.open('state', () => {})
    expect(await disk.keys('', '~')).toEqual(['a', 'b', 'c'])
  })

  it('deletes no record that was written before the first transaction is repeated', async () => {
    const fixture = createFixture()
    const { disk } = fixture.disk
    let store: WriteBehind
    const entries: unknown[] = []
    const opened: EventStore = {
      ...disk,
      async update(key, change) {
        change('first')
        // As a write that was in the queue of the lost connection.
        putAll(store, 'b')
        store.writeNow()
        await disk.update(key, (value) => {
          const changed = change(value)
          entries.push(...changed)
          return changed
        })
      },
    }
    store = createWriteBehind(
      async () => opened,
      fixture.clock,
      () => {},
    )
    putAll(store, 'a')
    await store.open('state', store.startWriting)
    await store.whenWritten()
    expect([await disk.keys('', '~'), entries]).toEqual([['a', 'b'], [['a', 'a']]])
  })

  it('counts the 2 s from its opening, not from the first use', async () => {
    const { store, clock, failures } = createFixture(() => new Promise(() => {}))
    void store.open('state', () => {})
    await clock.advance(1_500)
    store.startWriting()
    putAll(store, 'a')
    await clock.advance(499)
    expect(failures).toEqual([])
    await clock.advance(1)
    expect([failures, store.isOpen()]).toEqual([['timeout'], true])
  })

  it('works in memory after 2 s, and writes all records when the store opens later', async () => {
    let open = (_store: EventStore): void => {}
    const fixture = createFixture(() => new Promise((resolve) => (open = resolve)))
    fixture.store.startWriting()
    putAll(fixture.store, 'a', 'b')
    const whenWritten = fixture.store.whenWritten()
    await fixture.clock.advance(2_000)
    await whenWritten
    expect([await fixture.store.keys('', '~'), fixture.store.isOpen(), fixture.failures.length]).toEqual([
      ['a', 'b'],
      true,
      1,
    ])
    fixture.store.put('a', undefined)
    await fixture.clock.advance(500)
    open(fixture.disk.connect(() => true))
    await fixture.store.open('state', () => {})
    await fixture.store.whenWritten()
    expect([await keysOnDisk(fixture), fixture.store.isReliable(), fixture.clock.pending()]).toEqual([['b'], true, 0])
  })

  it('keeps records that the store refuses in memory, and reports one failure', async () => {
    const { store, disk, failures } = await createOpenFixture()
    putAll(store, 'b')
    await store.whenWritten()
    disk.refuses = () => true
    putAll(store, 'a')
    await store.whenWritten()
    putAll(store, 'c')
    await store.whenWritten()
    expect(await store.keys('', '~')).toEqual(['a', 'b', 'c'])
    expect((await store.read('', '~', 2)).map(([key]) => key)).toEqual(['a', 'b'])
    expect([store.isReliable(), store.isStored('b'), store.isStored('c'), failures.length]).toEqual([
      false,
      true,
      false,
      1,
    ])
  })

  it('tries a refusing store once per turn, and writes all once it accepts', async () => {
    const fixture = await createOpenFixture()
    fixture.disk.refuses = () => true
    for (const key of ['a', 'b', 'c']) {
      putAll(fixture.store, key)
      await fixture.clock.advance(0)
    }
    expect(fixture.writes).toHaveLength(3)
    fixture.disk.refuses = () => false
    putAll(fixture.store, 'd')
    await fixture.clock.advance(0)
    expect(await keysOnDisk(fixture)).toEqual(['a', 'b', 'c', 'd'])
    expect(fixture.store.isReliable()).toBe(true)
  })

  it('hides records that the store refused to delete, and deletes them later', async () => {
    const fixture = await createOpenFixture()
    putAll(fixture.store, 'a', 'b', 'c')
    await fixture.store.whenWritten()
    fixture.disk.refuses = () => true
    for (const key of ['a', 'b']) fixture.store.put(key, undefined)
    await fixture.store.whenWritten()
    expect((await fixture.store.read('', '~', 1)).map(([key]) => key)).toEqual(['c'])
    expect(await fixture.store.keys('', '~')).toEqual(['c'])
    fixture.disk.refuses = () => false
    putAll(fixture.store, 'b')
    await fixture.clock.advance(0)
    expect(await keysOnDisk(fixture)).toEqual(['b', 'c'])
  })

  it('behaves like a sorted map while the store accepts or refuses writes', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd')
    const step = fc.oneof(
      fc.record({ key, value: fc.option(fc.string(), { nil: undefined }) }),
      fc.constant('turn' as const),
      fc.constant('refuse' as const),
      fc.constant('accept' as const),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        key,
        fc.integer({ min: 1, max: 4 }),
        async (steps, to, limit) => {
          const fixture = await createOpenFixture()
          const model = new Map<string, string>()
          for (const action of steps) {
            if (action === 'turn') await fixture.clock.advance(0)
            else if (action === 'refuse') fixture.disk.refuses = () => true
            else if (action === 'accept') fixture.disk.refuses = () => false
            else {
              fixture.store.put(action.key, action.value)
              if (action.value === undefined) model.delete(action.key)
              else model.set(action.key, action.value)
            }
          }
          const expected = [...model].sort(([a], [b]) => (a < b ? -1 : 1))
          expect(await fixture.store.read('', '~', 99)).toEqual(expected)
          const inRange = expected.filter(([name]) => name < to)
          expect(await fixture.store.read('', to, limit)).toEqual(inRange.slice(0, limit))
          expect(await fixture.store.keys('', to)).toEqual(inRange.map(([name]) => name))
          fixture.disk.refuses = () => false
          fixture.store.put('z', 'z')
          await fixture.clock.advance(0)
          expect(await fixture.disk.disk.read('', '~', 99)).toEqual([...expected, ['z', 'z']])
        },
      ),
      { numRuns: 60 },
    )
  })
})
