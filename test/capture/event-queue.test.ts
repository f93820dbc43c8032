import { describe, expect, it } from 'vitest'
import { createEventQueue, type EventQueue, type QueueBounds } from '../../src/capture/event-queue.ts'
import { createFallbackStore } from '../../src/capture/fallback-store.ts'
import { memoryEventStore } from '../../src/platform/memory/memory-event-store.ts'
import type { StoreEntry } from '../../src/port/event-store.ts'
import { manualClock, type ManualClock } from '../support/manual-clock.ts'
import { sharedStore, type SharedStore } from '../support/shared-store.ts'

interface Fixture {
  readonly queue: EventQueue
  readonly disk: SharedStore
  readonly clock: ManualClock
  readonly dropped: string[]
  /** Every transaction that reached the disk. */
  readonly writes: (readonly StoreEntry[])[]
}

const fixture = async (bounds: Partial<QueueBounds> = {}, disk = sharedStore(), tab = 'tab1'): Promise<Fixture> => {
  const clock = manualClock()
  const dropped: string[] = []
  const writes: (readonly StoreEntry[])[] = []
  const connection = disk.connect(() => true)
  const opening = Promise.resolve({
    ...connection,
    write: (entries: readonly StoreEntry[]) => {
      writes.push(entries)
      return connection.write(entries)
    },
  })
  const store = createFallbackStore(opening, memoryEventStore(), () => {})
  const queue = createEventQueue(store, clock, tab, { maxEvents: 100, maxBytes: 1e6, ...bounds }, (json) =>
    dropped.push(json),
  )
  await clock.advance(0)
  return { queue, disk, clock, dropped, writes }
}

const values = async (queue: EventQueue): Promise<string[]> => (await queue.oldest(1_000)).map(({ value }) => value)

describe('the event queue', () => {
  it('writes the events and control records of one turn in one transaction', async () => {
    const { queue, clock, writes } = await fixture()
    queue.release()
    queue.put('c/state', '1')
    queue.put('c/state', '2')
    queue.add('a')
    queue.add('b')
    expect(writes).toHaveLength(0)
    await clock.advance(0)
    expect(writes.map((entries) => entries.map(({ value }) => value))).toEqual([['2', 'a', 'b']])
    expect(await values(queue)).toEqual(['a', 'b'])
  })

  it('spreads a burst over turns, so that none is long', async () => {
    const { queue, clock, writes } = await fixture({ maxEvents: 10_000 })
    queue.release()
    for (let n = 0; n < 600; n++) queue.add(`${n}`)
    await clock.advance(0)
    expect(writes.map((entries) => entries.length)).toEqual([250, 250, 100])
  })

  it('holds everything until it is released, and settles only then', async () => {
    const { queue, clock, writes } = await fixture()
    queue.add('a')
    queue.put('c/state', '1')
    let isSettled = false
    const settled = queue.settle().then(() => (isSettled = true))
    await clock.advance(0)
    expect([writes.length, isSettled]).toEqual([0, false])
    queue.release()
    await settled
    expect(await values(queue)).toEqual(['a'])
  })

  it('lets the release rewrite and drop what is held, in place', async () => {
    const { queue } = await fixture()
    for (const json of ['a', 'b', 'c']) queue.add(json)
    queue.release((json) => (json === 'b' ? undefined : json.toUpperCase()))
    await queue.settle()
    expect(await values(queue)).toEqual(['A', 'C'])
    expect(queue.unacknowledged().map(({ value }) => value)).toEqual(['A', 'C'])
  })

  it('settle begins the write at once: in the last moment of a page there is no later turn', async () => {
    const { queue, writes } = await fixture()
    queue.release()
    queue.add('a')
    void queue.settle()
    expect(writes).toHaveLength(1)
  })

  it('writes a large burst in many small transactions when somebody waits for it', async () => {
    const { queue, writes } = await fixture({ maxEvents: 1_000 })
    queue.release()
    for (let n = 0; n < 1_000; n++) queue.add(String(n))
    await queue.written()
    expect(writes.map((entries) => entries.length)).toEqual([250, 250, 250, 250])
    expect(await values(queue)).toHaveLength(1_000)
  })

  it('knows which events no transaction holds yet: they come first', async () => {
    const { queue } = await fixture()
    queue.release()
    queue.add('stored')
    await queue.settle()
    queue.add('fresh')
    expect(queue.unacknowledged().map(({ value, isStored }) => [value, isStored])).toEqual([
      ['fresh', false],
      ['stored', true],
    ])
  })

  it('counts nothing as stored once the disk has refused', async () => {
    const { queue, disk } = await fixture()
    queue.release()
    disk.refuses = () => true
    queue.add('a')
    await queue.settle()
    expect(queue.unacknowledged().map(({ isStored }) => isStored)).toEqual([false])
    expect(await values(queue)).toEqual(['a'])
  })

  it('forgets what was delivered, here or by another tab', async () => {
    const { queue } = await fixture()
    queue.release()
    for (const json of ['a', 'b', 'c']) queue.add(json)
    await queue.settle()
    const [a, b] = await queue.oldest(2)
    await queue.remove([a!.key])
    queue.forget([b!.key])
    expect(queue.unacknowledged().map(({ value }) => value)).toEqual(['c'])
    expect(await values(queue)).toEqual(['b', 'c'])
  })

  it('takes back records under their keys, before its own', async () => {
    const { queue, clock } = await fixture()
    queue.release()
    queue.add('own')
    await clock.advance(0)
    queue.restore([{ key: 'e/000', value: 'earlier' }])
    await queue.settle()
    expect(await values(queue)).toEqual(['earlier', 'own'])
  })

  it('counts what earlier pages have left, and drops the oldest of all', async () => {
    const disk = sharedStore()
    const first = await fixture({}, disk, 'tab1')
    first.queue.release()
    for (let n = 0; n < 8; n++) first.queue.add(`first ${n}`)
    await first.queue.settle()
    const { queue, dropped, clock } = await fixture({ maxEvents: 10 }, disk, 'tab2')
    clock.set(clock.now() + 1)
    queue.release()
    await queue.measure()
    for (let n = 0; n < 5; n++) queue.add(`second ${n}`)
    await queue.settle()
    expect(dropped).toEqual(['first 0', 'first 1', 'first 2'])
    expect(await values(queue)).toHaveLength(10)
  })

  it('reports each dropped event once when many writes finish together', async () => {
    const { queue, dropped } = await fixture({ maxEvents: 10 })
    queue.release()
    for (let n = 0; n < 40; n++) {
      queue.add(`${n}`)
      void queue.settle()
    }
    await queue.settle()
    expect(dropped).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`))
    expect(await values(queue)).toHaveLength(10)
  })
})
