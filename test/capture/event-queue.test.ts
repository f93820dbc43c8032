import { describe, expect, it } from 'vitest'
import type { QueueLimits } from '../../src/capture/queue-limits.ts'
import { createWriteBehind } from '../../src/capture/write-behind.ts'
import type { WriteBehind } from '../../src/capture/write-behind.ts'
import { createQueues } from '../support/create-queues.ts'
import type { Queues } from '../support/create-queues.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { createSharedLock } from '../support/shared-lock.ts'
import { sharedStore } from '../support/shared-store.ts'
import type { SharedStore } from '../support/shared-store.ts'

interface Fixture {
  readonly queue: Queues
  readonly store: WriteBehind
  readonly disk: SharedStore
  readonly clock: ManualClock
  readonly dropped: string[]
}

const createFixture = (
  limits: Partial<QueueLimits> = {},
  disk = sharedStore(),
  tab = 'tab1',
  lock = createSharedLock(),
  clock = manualClock(),
): Fixture => {
  const dropped: string[] = []
  const store = createWriteBehind(
    async () => disk.connect(() => true),
    clock,
    () => {},
  )
  const queue = createQueues(store, clock, tab, { maxQueueSize: 100, maxBytes: 1e6, ...limits }, lock.of({}), (json) =>
    dropped.push(json),
  )
  return { queue, store, disk, clock, dropped }
}

const queuedValues = async (queue: Queues): Promise<string[]> => (await queue.oldest(1_000)).map(([, value]) => value)

describe('the event queue', () => {
  it('stores events in capture order', async () => {
    const { queue, store, disk } = createFixture()
    queue.startWriting()
    for (const json of ['b', 'a', 'c']) queue.add(json)
    await store.whenWritten()
    expect((await disk.disk.read('e/', 'e0', 9)).map(([, value]) => value)).toEqual(['b', 'a', 'c'])
  })

  it('rewrites and drops the events in memory once, when writing starts', async () => {
    const { queue, store } = createFixture()
    for (const json of ['a', 'b', 'c']) queue.add(json)
    queue.startWriting((json) => (json === 'b' ? undefined : json.toUpperCase()))
    queue.startWriting(() => 'late')
    await store.whenWritten()
    expect(await queuedValues(queue)).toEqual(['A', 'C'])
    expect(queue.unacknowledged().map(([, value]) => value)).toEqual(['A', 'C'])
  })

  it('lists unstored events before stored ones', async () => {
    const { queue, store } = createFixture()
    queue.startWriting()
    queue.add('stored')
    await store.whenWritten()
    queue.add('unstored')
    expect(queue.unacknowledged().map(([, value]) => value)).toEqual(['unstored', 'stored'])
  })

  it('is full by bytes of UTF-8, not by characters', async () => {
    const event = (name: string): string => name + '語'.repeat(100)
    const { queue, store, clock, dropped } = createFixture({ maxBytes: 700 })
    queue.startWriting()
    for (const name of ['a', 'b', 'c']) queue.add(event(name))
    await store.whenWritten()
    await clock.advance(0)
    expect(dropped).toEqual([event('a')])
    expect(await queuedValues(queue)).toEqual([event('b'), event('c')])
  })

  it('counts the bytes of other tabs, and keeps ASCII events up to the limit', async () => {
    const disk = sharedStore()
    const first = createFixture({}, disk, 'tab1')
    first.queue.startWriting()
    for (const name of ['a', 'b']) first.queue.add(name + '語'.repeat(100))
    await first.store.whenWritten()
    const { queue, dropped, clock, store } = createFixture({ maxBytes: 1_000 }, disk, 'tab2')
    clock.set(clock.now() + 1)
    queue.startWriting()
    await queue.recount()
    queue.add('c'.repeat(300))
    await store.whenWritten()
    await clock.advance(1_000)
    expect(dropped).toEqual([])
    queue.add('d'.repeat(99))
    await store.whenWritten()
    await clock.advance(1_000)
    expect(dropped).toEqual([`a${'語'.repeat(100)}`])
    expect(await queuedValues(queue)).toHaveLength(3)
  })

  it('forgets events that this or another tab has delivered', async () => {
    const { queue, store } = createFixture()
    queue.startWriting()
    for (const json of ['a', 'b', 'c']) queue.add(json)
    await store.whenWritten()
    const [a, b] = await queue.oldest(2)
    queue.remove([a![0]])
    queue.forget([b![0]])
    expect(queue.unacknowledged().map(([, value]) => value)).toEqual(['c'])
    expect(await queuedValues(queue)).toEqual(['b', 'c'])
  })

  it('restores records under their own keys, before newer events', async () => {
    const { queue, store } = createFixture()
    queue.startWriting()
    queue.add('own')
    await store.whenWritten()
    queue.restore([['e/000', 'earlier']])
    expect(await queuedValues(queue)).toEqual(['earlier', 'own'])
  })

  it('writes its unacknowledged events again when the store has lost them', async () => {
    const { queue, store, disk } = createFixture()
    queue.startWriting()
    for (const json of ['a', 'b']) queue.add(json)
    await store.whenWritten()
    const [a] = await queue.oldest(1)
    queue.remove([a![0]])
    await store.whenWritten()
    await disk.lose()
    queue.rewrite()
    await store.whenWritten()
    expect((await disk.disk.read('e/', 'e0', 9)).map(([, value]) => value)).toEqual(['b'])
  })

  it('counts the events of earlier pages, and drops the oldest of them', async () => {
    const disk = sharedStore()
    const first = createFixture({}, disk, 'tab1')
    first.queue.startWriting()
    for (let n = 0; n < 8; n++) first.queue.add(`first ${n}`)
    await first.store.whenWritten()
    const { queue, dropped, clock } = createFixture({ maxQueueSize: 10 }, disk, 'tab2')
    clock.set(clock.now() + 1)
    queue.startWriting()
    await queue.recount()
    for (let n = 0; n < 5; n++) queue.add(`second ${n}`)
    expect(await queuedValues(queue)).toHaveLength(10)
    expect(dropped).toEqual(['first 0', 'first 1', 'first 2'])
  })

  it('keeps the newest events of a burst, and drops each other event once', async () => {
    const { queue, store, clock, dropped } = createFixture({ maxQueueSize: 10 })
    queue.startWriting()
    for (let n = 0; n < 40; n++) {
      queue.add(`${n}`)
      if (n % 7 === 0) await store.whenWritten()
    }
    await clock.advance(1_000)
    expect(await queuedValues(queue)).toEqual(Array.from({ length: 10 }, (_, n) => `${n + 30}`))
    expect(dropped).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`))
  })

  it('drops the oldest events when one turn adds three times the limit', async () => {
    const { queue, dropped } = createFixture({ maxQueueSize: 10 })
    queue.startWriting()
    for (let n = 0; n < 30; n++) queue.add(`${n}`)
    expect(await queuedValues(queue)).toEqual(Array.from({ length: 10 }, (_, n) => `${n + 20}`))
    expect(dropped).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`))
  })

  it('drops no event while a tab delivers, because the event may be in flight', async () => {
    const lock = createSharedLock()
    const { queue, clock, dropped } = createFixture({ maxQueueSize: 10 }, sharedStore(), 'tab1', lock)
    queue.startWriting()
    let endDelivery = (): void => undefined
    const delivery = lock.of({})(() => new Promise<void>((resolve) => (endDelivery = resolve)))
    for (let n = 0; n < 15; n++) queue.add(`${n}`)
    await clock.advance(5_000)
    expect(dropped).toEqual([])
    queue.remove((await queue.oldest(4)).map(([key]) => key))
    endDelivery()
    await delivery
    await clock.advance(1_000)
    expect(dropped).toEqual(['4'])
  })

  it('reads the keys at most once a second while it is full', async () => {
    const disk = sharedStore()
    const connection = disk.connect(() => true)
    let reads = 0
    disk.connect = () => ({ ...connection, keys: (from, to) => (reads++, connection.keys(from, to)) })
    const { queue, clock, dropped } = createFixture({ maxQueueSize: 10 }, disk)
    queue.startWriting()
    for (let n = 0; n < 40; n++) {
      queue.add(`${n}`)
      await clock.advance(50)
    }
    // The first read follows event 11, the second one a second later.
    expect([reads, dropped.length]).toEqual([2, 20])
  })

  it('drops each event in only one of two tabs with full queues', async () => {
    const [disk, lock, clock] = [sharedStore(), createSharedLock(), manualClock()]
    const tabs = ['tab1', 'tab2'].map((tab) => createFixture({ maxQueueSize: 10 }, disk, tab, lock, clock))
    for (const { queue } of tabs) queue.startWriting()
    for (let n = 0; n < 20; n++) {
      tabs[n % 2]!.queue.add(`${n}`)
      await clock.advance(0)
    }
    await Promise.all(tabs.map(({ queue }) => queue.recount()))
    tabs.forEach(({ queue }, n) => queue.add(`${20 + n}`))
    await clock.advance(2_000)
    const dropped = tabs.flatMap((tab) => tab.dropped)
    expect(dropped.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`).toSorted())
  })
})
