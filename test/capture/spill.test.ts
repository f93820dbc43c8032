import { describe, expect, it } from 'vitest'
import { MAX_SPILL_LENGTH, readSpill, shrinkSpill, writeSpill } from '../../src/capture/spill.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'

const records = (...sizes: number[]): StoreRecord[] =>
  sizes.map((size, n) => ({ key: `e/${n}`, value: JSON.stringify({ n, text: 'x'.repeat(size) }) }))

describe('a spill', () => {
  it('keeps its events when a second page adds more', () => {
    const storage = createMemoryKeyValue()
    const [first, second] = [records(1), records(1, 2).slice(1)]
    expect(writeSpill(storage, 's', first)).toEqual([])
    expect(writeSpill(storage, 's', second)).toEqual([])
    expect(readSpill(storage, 's')).toEqual([...first, ...second])
  })

  it('is empty when it is missing or corrupt', () => {
    const storage = createMemoryKeyValue()
    expect(readSpill(storage, 's')).toEqual([])
    for (const text of ['{', 'null', '{"records":7}']) {
      storage.set('s', text)
      expect(readSpill(storage, 's')).toEqual([])
    }
  })

  it('holds at most the maximum length and returns what did not fit', () => {
    const storage = createMemoryKeyValue()
    const many = records(...Array<number>(6).fill(MAX_SPILL_LENGTH / 5))
    expect(writeSpill(storage, 's', many)).toEqual(many.slice(4))
    expect(readSpill(storage, 's')).toEqual(many.slice(0, 4))
    expect(writeSpill(storage, 's', many.slice(4))).toEqual(many.slice(4))
    expect(readSpill(storage, 's')).toEqual(many.slice(0, 4))
  })

  it('skips an event that is larger than the maximum length', () => {
    const storage = createMemoryKeyValue()
    const [huge, small, other] = records(MAX_SPILL_LENGTH, 1, 1)
    expect(writeSpill(storage, 's', [huge!, small!, other!])).toEqual([huge])
    expect(readSpill(storage, 's')).toEqual([small, other])
  })

  it('removes stored events, keeps the others, and is deleted when empty', () => {
    const storage = createMemoryKeyValue()
    const [first, second] = records(1, 2)
    writeSpill(storage, 's', [first!, second!])
    shrinkSpill(storage, 's', [first!])
    expect(readSpill(storage, 's')).toEqual([second])
    shrinkSpill(storage, 's', [second!])
    expect(storage.get('s')).toBeNull()
  })

  it('adds as much as the platform allows and never loses earlier events', () => {
    const values = createMemoryKeyValue()
    const smallStorage = { ...values, set: (key: string, text: string) => text.length < 500 && values.set(key, text) }
    const many = records(100, 100, 100, 100, 100, 100)
    const rest = writeSpill(smallStorage, 's', many)
    const kept = readSpill(smallStorage, 's')
    expect([...kept, ...rest]).toEqual(many)
    expect(kept.length).toBeGreaterThan(0)
    const fullStorage = { ...values, set: () => false }
    expect(writeSpill(fullStorage, 's', many)).toEqual(many)
    expect(readSpill(fullStorage, 's')).toEqual(kept)
  })
})
