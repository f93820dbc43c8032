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
  /** Every transaction that was asked of the disk, by its values. */
  readonly writes: (string | undefined)[][]
}

const fixture = (opening?: () => Promise<EventStore | undefined>): Fixture => {
  const clock = manualClock()
  const disk = sharedStore()
  const failures: unknown[] = []
  const writes: (string | undefined)[][] = []
  const connection = disk.connect(() => true)
  const open = async (): Promise<EventStore> => ({
    ...connection,
    write: (entries: readonly StoreEntry[]) => {
      writes.push(entries.map(({ value }) => value))
      return connection.write(entries)
    },
  })
  const store = createWriteBehind(opening ?? open, clock, (error) => failures.push(error))
  return { store, disk, clock, failures, writes }
}

const opened = async (): Promise<Fixture> => {
  const own = fixture()
  own.store.release()
  await own.store.keys('', '~')
  return own
}

const puts = (store: WriteBehind, ...keys: string[]): void => keys.forEach((key) => store.put(key, key))
const onDisk = ({ disk }: Fixture): Promise<string[]> => disk.disk.keys('', '~')

describe('writing behind', () => {
  it('opens the store at first need only', async () => {
    let isAsked = false
    const store = createWriteBehind(
      async () => {
        isAsked = true
        return undefined
      },
      manualClock(),
      () => {},
    )
    store.put('a', '1')
    expect(isAsked).toBe(false)
    expect(await store.keys('', '~')).toEqual(['a'])
    expect(isAsked).toBe(true)
  })

  it('shows at once what was put, and writes the puts of one turn in one transaction, the last one of each key', async () => {
    const { store, clock, writes } = await opened()
    store.put('c/state', '1')
    puts(store, 'a', 'b')
    store.put('c/state', '2')
    expect(await store.read('', '~', 9)).toEqual([
      { key: 'a', value: 'a' },
      { key: 'b', value: 'b' },
      { key: 'c/state', value: '2' },
    ])
    await clock.advance(0)
    expect(writes).toEqual([['2', 'a', 'b']])
  })

  it('spreads a burst over turns, so that none is long, also when somebody waits for it', async () => {
    const { store, writes } = await opened()
    for (let n = 0; n < 600; n++) store.put(String(n), '')
    await store.written()
    expect(writes.map((values) => values.length)).toEqual([250, 250, 100])
  })

  it('writes nothing until it is released', async () => {
    const own = fixture()
    puts(own.store, 'a')
    own.store.write()
    let isWritten = false
    const written = own.store.written().then(() => (isWritten = true))
    await own.clock.advance(0)
    expect([own.writes, isWritten]).toEqual([[], false])
    own.store.release()
    await written
    expect(await onDisk(own)).toEqual(['a'])
  })

  it('begins every write at once in the last moment of a page', async () => {
    const { store, writes } = await opened()
    for (let n = 0; n < 600; n++) store.put(String(n), '')
    store.write()
    expect(writes.map((values) => values.length)).toEqual([600])
  })

  it('knows what the store holds', async () => {
    const { store } = await opened()
    puts(store, 'a')
    await store.written()
    puts(store, 'b')
    expect([store.holds('a'), store.holds('b')]).toEqual([true, false])
  })

  it('writes what was put before the store was open, in order', async () => {
    let open = (_store: EventStore): void => {}
    const own = fixture(() => new Promise((resolve) => (open = resolve)))
    own.store.release()
    puts(own.store, 'a')
    const keys = own.store.keys('', '~')
    expect([own.store.isOpen(), own.store.isSafe()]).toEqual([false, false])
    open(own.disk.connect(() => true))
    expect(await keys).toEqual(['a'])
    await own.store.written()
    expect([own.store.isOpen(), own.store.isSafe()]).toEqual([true, true])
    expect(await onDisk(own)).toEqual(['a'])
  })

  it.each([
    ['cannot be opened', () => Promise.reject(new Error('no')), [new Error('no')]],
    ['is not wanted', () => Promise.resolve(undefined), []],
  ])('holds everything in memory when the store %s', async (_name, opening, expected) => {
    const { store, failures } = fixture(opening)
    store.release()
    puts(store, 'a', 'b')
    await store.written()
    store.put('a', undefined)
    await store.written()
    expect(await store.read('', '~', 9)).toEqual([{ key: 'b', value: 'b' }])
    expect([store.isOpen(), store.isSafe(), store.holds('b'), failures]).toEqual([true, false, false, expected])
  })

  it('waits 2 s for the store to open, goes on in memory, and hands all over when it opens after all', async () => {
    let open = (_store: EventStore): void => {}
    const own = fixture(() => new Promise((resolve) => (open = resolve)))
    own.store.release()
    puts(own.store, 'a', 'b')
    const written = own.store.written()
    await own.clock.advance(2_000)
    await written
    expect([await own.store.keys('', '~'), own.store.isOpen(), own.failures.length]).toEqual([['a', 'b'], true, 1])
    own.store.put('a', undefined)
    await own.clock.advance(500)
    open(own.disk.connect(() => true))
    await own.store.opened()
    await own.store.written()
    expect([await onDisk(own), own.store.isSafe(), own.clock.pending()]).toEqual([['b'], true, 0])
  })

  it('holds what the store refuses, shows both in order, and tells once', async () => {
    const { store, disk, failures } = await opened()
    puts(store, 'b')
    await store.written()
    disk.refuses = () => true
    puts(store, 'a')
    await store.written()
    puts(store, 'c')
    await store.written()
    expect(await store.keys('', '~')).toEqual(['a', 'b', 'c'])
    expect((await store.read('', '~', 2)).map(({ key }) => key)).toEqual(['a', 'b'])
    expect([store.isSafe(), store.holds('b'), store.holds('c'), failures.length]).toEqual([false, true, false, 1])
  })

  it('asks a store that refuses once per turn, and writes all that it holds when the store takes something again', async () => {
    const own = await opened()
    own.disk.refuses = () => true
    for (const key of ['a', 'b', 'c']) {
      puts(own.store, key)
      await own.clock.advance(0)
    }
    expect(own.writes).toHaveLength(3)
    own.disk.refuses = () => false
    puts(own.store, 'd')
    await own.clock.advance(0)
    expect(await onDisk(own)).toEqual(['a', 'b', 'c', 'd'])
    expect(own.store.isSafe()).toBe(true)
  })

  it('never shows again what the store refused to delete, and deletes it when it can', async () => {
    const own = await opened()
    puts(own.store, 'a', 'b', 'c')
    await own.store.written()
    own.disk.refuses = () => true
    for (const key of ['a', 'b']) own.store.put(key, undefined)
    await own.store.written()
    expect((await own.store.read('', '~', 1)).map(({ key }) => key)).toEqual(['c'])
    expect(await own.store.keys('', '~')).toEqual(['c'])
    own.disk.refuses = () => false
    puts(own.store, 'b')
    await own.clock.advance(0)
    expect(await onDisk(own)).toEqual(['b', 'c'])
  })

  it('behaves like a sorted map, whatever the store takes or refuses meanwhile', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd')
    const step = fc.oneof(
      fc.record({ key, value: fc.option(fc.string(), { nil: undefined }) }),
      fc.constant('turn' as const),
      fc.constant('refuse' as const),
      fc.constant('take' as const),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        key,
        fc.integer({ min: 1, max: 4 }),
        async (steps, to, limit) => {
          const own = await opened()
          const model = new Map<string, string>()
          for (const one of steps) {
            if (one === 'turn') await own.clock.advance(0)
            else if (one === 'refuse') own.disk.refuses = () => true
            else if (one === 'take') own.disk.refuses = () => false
            else {
              own.store.put(one.key, one.value)
              if (one.value === undefined) model.delete(one.key)
              else model.set(one.key, one.value)
            }
          }
          const expected = [...model]
            .map(([name, value]) => ({ key: name, value }))
            .sort((x, y) => (x.key < y.key ? -1 : 1))
          expect(await own.store.read('', '~', 99)).toEqual(expected)
          const part = expected.filter((record) => record.key < to)
          expect(await own.store.read('', to, limit)).toEqual(part.slice(0, limit))
          expect(await own.store.keys('', to)).toEqual(part.map((record) => record.key))
          own.disk.refuses = () => false
          own.store.put('z', 'z')
          await own.clock.advance(0)
          expect(await own.disk.disk.read('', '~', 99)).toEqual([...expected, { key: 'z', value: 'z' }])
        },
      ),
      { numRuns: 60 },
    )
  })
})
