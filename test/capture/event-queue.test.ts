import { describe, expect, it } from 'vitest'
import { createEventQueue } from '../../src/capture/event-queue.ts'
import type { EventQueue, QueueBounds } from '../../src/capture/event-queue.ts'
import { createWriteBehind } from '../../src/capture/write-behind.ts'
import type { WriteBehind } from '../../src/capture/write-behind.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { sharedLease } from '../support/shared-lease.ts'
import { sharedStore } from '../support/shared-store.ts'
import type { SharedStore } from '../support/shared-store.ts'

interface Fixture {
  readonly queue: EventQueue
  readonly store: WriteBehind
  readonly disk: SharedStore
  readonly clock: ManualClock
  readonly dropped: string[]
}

const fixture = (
  bounds: Partial<QueueBounds> = {},
  disk = sharedStore(),
  tab = 'tab1',
  lease = sharedLease(),
  clock = manualClock(),
): Fixture => {
  const dropped: string[] = []
  const store = createWriteBehind(
    async () => disk.connect(() => true),
    clock,
    () => {},
  )
  const queue = createEventQueue(
    store,
    clock,
    tab,
    { maxEvents: 100, maxBytes: 1e6, ...bounds },
    lease.of({}),
    (json) => dropped.push(json),
  )
  return { queue, store, disk, clock, dropped }
}

const values = async (queue: EventQueue): Promise<string[]> => (await queue.oldest(1_000)).map(({ value }) => value)

describe('the event queue', () => {
  it('has events on disk in the order of their capture', async () => {
    const { queue, store, disk } = fixture()
    queue.release()
    for (const json of ['b', 'a', 'c']) queue.add(json)
    await store.written()
    expect((await disk.disk.read('e/', 'e0', 9)).map(({ value }) => value)).toEqual(['b', 'a', 'c'])
  })

  it('lets the release rewrite and drop what is held, in place, once', async () => {
    const { queue, store } = fixture()
    for (const json of ['a', 'b', 'c']) queue.add(json)
    queue.release((json) => (json === 'b' ? undefined : json.toUpperCase()))
    queue.release(() => 'late')
    await store.written()
    expect(await values(queue)).toEqual(['A', 'C'])
    expect(queue.unacknowledged().map(({ value }) => value)).toEqual(['A', 'C'])
  })

  it('knows which events the store does not hold: they come first', async () => {
    const { queue, store } = fixture()
    queue.release()
    queue.add('stored')
    await store.written()
    queue.add('fresh')
    expect(queue.unacknowledged().map(({ value }) => value)).toEqual(['fresh', 'stored'])
  })

  it('forgets what was delivered, here or by another tab', async () => {
    const { queue, store } = fixture()
    queue.release()
    for (const json of ['a', 'b', 'c']) queue.add(json)
    await store.written()
    const [a, b] = await queue.oldest(2)
    queue.remove([a!.key])
    queue.forget([b!.key])
    expect(queue.unacknowledged().map(({ value }) => value)).toEqual(['c'])
    expect(await values(queue)).toEqual(['b', 'c'])
  })

  it('takes back records under their keys, before its own', async () => {
    const { queue, store } = fixture()
    queue.release()
    queue.add('own')
    await store.written()
    queue.restore([{ key: 'e/000', value: 'earlier' }])
    expect(await values(queue)).toEqual(['earlier', 'own'])
  })

  it('writes its unacknowledged events once more when the store has lost them', async () => {
    const { queue, store, disk } = fixture()
    queue.release()
    for (const json of ['a', 'b']) queue.add(json)
    await store.written()
    const [a] = await queue.oldest(1)
    queue.remove([a!.key])
    await store.written()
    await disk.lose()
    queue.rewrite()
    await store.written()
    expect((await disk.disk.read('e/', 'e0', 9)).map(({ value }) => value)).toEqual(['b'])
  })

  it('counts what earlier pages have left, and drops the oldest of all', async () => {
    const disk = sharedStore()
    const first = fixture({}, disk, 'tab1')
    first.queue.release()
    for (let n = 0; n < 8; n++) first.queue.add(`first ${n}`)
    await first.store.written()
    const { queue, dropped, clock } = fixture({ maxEvents: 10 }, disk, 'tab2')
    clock.set(clock.now() + 1)
    queue.release()
    await queue.measure()
    for (let n = 0; n < 5; n++) queue.add(`second ${n}`)
    expect(await values(queue)).toHaveLength(10)
    expect(dropped).toEqual(['first 0', 'first 1', 'first 2'])
  })

  it('drops each of the oldest once in a burst, and keeps the newest', async () => {
    const { queue, store, clock, dropped } = fixture({ maxEvents: 10 })
    queue.release()
    for (let n = 0; n < 40; n++) {
      queue.add(`${n}`)
      if (n % 7 === 0) await store.written()
    }
    await clock.advance(1_000)
    expect(await values(queue)).toEqual(Array.from({ length: 10 }, (_, n) => `${n + 30}`))
    expect(dropped).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`))
  })

  it('survives a burst of several times its bound in one turn', async () => {
    const { queue, dropped } = fixture({ maxEvents: 10 })
    queue.release()
    for (let n = 0; n < 30; n++) queue.add(`${n}`)
    expect(await values(queue)).toEqual(Array.from({ length: 10 }, (_, n) => `${n + 20}`))
    expect(dropped).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`))
  })

  it('drops nothing while a tab delivers: it may be what is just sent', async () => {
    const lease = sharedLease()
    const { queue, clock, dropped } = fixture({ maxEvents: 10 }, sharedStore(), 'tab1', lease)
    queue.release()
    let delivered = (): void => undefined
    const delivery = lease.of({})(() => new Promise<void>((resolve) => (delivered = resolve)))
    for (let n = 0; n < 15; n++) queue.add(`${n}`)
    await clock.advance(5_000)
    expect(dropped).toEqual([])
    queue.remove((await queue.oldest(4)).map(({ key }) => key))
    delivered()
    await delivery
    await clock.advance(1_000)
    expect(dropped).toEqual(['4'])
  })

  it('looks at the keys once a second while it is full, not with each event', async () => {
    const disk = sharedStore()
    const own = disk.connect(() => true)
    let looks = 0
    disk.connect = () => ({ ...own, keys: (from, to) => (looks++, own.keys(from, to)) })
    const { queue, clock, dropped } = fixture({ maxEvents: 10 }, disk)
    queue.release()
    for (let n = 0; n < 40; n++) {
      queue.add(`${n}`)
      await clock.advance(50)
    }
    // After event 11, and a second later.
    expect([looks, dropped.length]).toEqual([2, 20])
  })

  it('drops each event in one tab only when two are full at once', async () => {
    const [disk, lease, clock] = [sharedStore(), sharedLease(), manualClock()]
    const tabs = ['tab1', 'tab2'].map((tab) => fixture({ maxEvents: 10 }, disk, tab, lease, clock))
    for (const { queue } of tabs) queue.release()
    for (let n = 0; n < 20; n++) {
      tabs[n % 2]!.queue.add(`${n}`)
      await clock.advance(0)
    }
    await Promise.all(tabs.map(({ queue }) => queue.measure()))
    tabs.forEach(({ queue }, n) => queue.add(`${20 + n}`))
    await clock.advance(2_000)
    const dropped = tabs.flatMap((tab) => tab.dropped)
    expect(dropped.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`).toSorted())
  })
})
