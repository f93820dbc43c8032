import { describe, expect, it } from 'vitest'
import { MAX_SPILL_LENGTH, readSpill, shrinkSpill, writeSpill } from '../../src/capture/spill.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'

const records = (...sizes: number[]): StoreRecord[] =>
  sizes.map((size, n) => [`e/${n}`, JSON.stringify({ n, text: 'x'.repeat(size) })])

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
    for (const spill of ['{', 'null', '{"records":7}']) {
      storage.set('s', spill)
      expect(readSpill(storage, 's')).toEqual([])
    }
  })

  it('keeps at most the maximum length, and returns events that did not fit', () => {
    const storage = createMemoryKeyValue()
    const manyRecords = records(...Array<number>(6).fill(MAX_SPILL_LENGTH / 5))
    expect(writeSpill(storage, 's', manyRecords)).toEqual(manyRecords.slice(4))
    expect(readSpill(storage, 's')).toEqual(manyRecords.slice(0, 4))
    expect(writeSpill(storage, 's', manyRecords.slice(4))).toEqual(manyRecords.slice(4))
    expect(readSpill(storage, 's')).toEqual(manyRecords.slice(0, 4))
  })

  it('skips an event that is larger than the maximum length', () => {
    const storage = createMemoryKeyValue()
    const [huge, small, last] = records(MAX_SPILL_LENGTH, 1, 1)
    expect(writeSpill(storage, 's', [huge!, small!, last!])).toEqual([huge])
    expect(readSpill(storage, 's')).toEqual([small, last])
  })

  it('loses only the events that were stored, and is deleted when empty', () => {
    const storage = createMemoryKeyValue()
    const [first, second] = records(1, 2)
    writeSpill(storage, 's', [first!, second!])
    shrinkSpill(storage, 's', [first!])
    expect(readSpill(storage, 's')).toEqual([second])
    shrinkSpill(storage, 's', [second!])
    expect(storage.get('s')).toBeNull()
  })

  it('adds as many events as the platform allows, and keeps earlier ones', () => {
    const values = createMemoryKeyValue()
    const smallStorage = {
      ...values,
      set: (key: string, value: string) => value.length < 500 && values.set(key, value),
    }
    const manyRecords = records(100, 100, 100, 100, 100, 100)
    const unspilledRecords = writeSpill(smallStorage, 's', manyRecords)
    const spilledRecords = readSpill(smallStorage, 's')
    expect([...spilledRecords, ...unspilledRecords]).toEqual(manyRecords)
    expect(spilledRecords.length).toBeGreaterThan(0)
    const fullStorage = { ...values, set: () => false }
    expect(writeSpill(fullStorage, 's', manyRecords)).toEqual(manyRecords)
    expect(readSpill(fullStorage, 's')).toEqual(spilledRecords)
  })
})
