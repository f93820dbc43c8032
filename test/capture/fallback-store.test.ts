import { describe, expect, it } from 'vitest'
import { createFallbackStore, type FallbackStore } from '../../src/capture/fallback-store.ts'
import { memoryEventStore } from '../../src/platform/memory/memory-event-store.ts'
import type { EventStore } from '../../src/port/event-store.ts'
import { eventStoreContract } from '../contract/event-store.ts'
import { sharedStore, type SharedStore } from '../support/shared-store.ts'

const record = (key: string): { key: string; value: string } => ({ key, value: `value of ${key}` })
const deletion = (key: string): { key: string; value: undefined } => ({ key, value: undefined })

const failing = (): { store: FallbackStore; disk: SharedStore; failures: unknown[] } => {
  const disk = sharedStore()
  const failures: unknown[] = []
  const opening = Promise.resolve(disk.connect(() => true))
  return { disk, failures, store: createFallbackStore(opening, memoryEventStore(), (error) => failures.push(error)) }
}

eventStoreContract('fallback over a store that opens', async () => failing().store)
describe('the fallback store', () => {
  it('begins calls made before the store was open in their order', async () => {
    let open = (_store: EventStore): void => {}
    const store = createFallbackStore(new Promise((resolve) => (open = resolve)), memoryEventStore(), () => {})
    const read = store.read('', '~', 9)
    const written = store.write([record('a')])
    expect([store.isOpen, store.durable]).toEqual([false, false])
    const disk = sharedStore()
    open(disk.connect(() => true))
    await written
    expect(await read).toEqual([])
    expect([store.isOpen, store.durable]).toEqual([true, true])
    expect(await disk.disk.keys('', '~')).toEqual(['a'])
  })

  it('uses memory when the store cannot be opened, and tells once', async () => {
    const failures: unknown[] = []
    const store = createFallbackStore(Promise.reject(new Error('no')), memoryEventStore(), (error) =>
      failures.push(error),
    )
    await store.write([record('a')])
    expect(await store.read('', '~', 9)).toEqual([record('a')])
    expect(await store.update('a', () => 'new')).toBe('new')
    expect([store.isOpen, store.durable, failures]).toEqual([true, false, [new Error('no')]])
  })

  it('holds what the store refuses, shows both in order, and tells once', async () => {
    const { store, disk, failures } = failing()
    await store.write([record('b')])
    disk.refuses = () => true
    await store.write([record('a')])
    await store.write([record('c')])
    expect(await store.read('', '~', 9)).toEqual(['a', 'b', 'c'].map(record))
    expect(await store.read('', '~', 2)).toEqual(['a', 'b'].map(record))
    expect(await store.keys('', '~')).toEqual(['a', 'b', 'c'])
    expect([store.durable, failures.length]).toEqual([false, 1])
  })

  it('lets a later write replace what memory held', async () => {
    const { store, disk } = failing()
    disk.refuses = () => true
    await store.write([{ key: 'c/next', value: 'old' }])
    disk.refuses = () => false
    await store.write([{ key: 'c/next', value: 'new' }])
    expect(await store.read('', '~', 9)).toEqual([{ key: 'c/next', value: 'new' }])
  })

  it('never shows again what the store refused to delete, and deletes it when it can', async () => {
    const { store, disk } = failing()
    await store.write(['a', 'b', 'c'].map(record))
    disk.refuses = () => true
    await store.write([deletion('a'), deletion('b')])
    expect(await store.read('', '~', 1)).toEqual([record('c')])
    expect(await store.keys('', '~')).toEqual(['c'])
    disk.refuses = () => false
    await store.write([record('b')])
    expect(await disk.disk.keys('', '~')).toEqual(['b', 'c'])
    expect(await store.keys('', '~')).toEqual(['b', 'c'])
  })
})
