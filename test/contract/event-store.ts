import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventStore, StoreEntry } from '../../src/port/event-store.ts'

/** The range of all keys of these tests. */
const ALL_KEYS = ['', '\uffff'] as const

/** Tests that every event store must pass. `open` creates a new, empty store. */
export const eventStoreContract = (name: string, open: () => Promise<EventStore>): void => {
  describe(`event store: ${name}`, () => {
    it('reads records in key order, not in the order of writes', async () => {
      const store = await open()
      await store.write([
        ['e/2', 'two'],
        ['e/1', 'one'],
      ])
      await store.write([['e/10', 'ten']])
      expect(await store.read('e/', 'e0', 9)).toEqual([
        ['e/1', 'one'],
        ['e/10', 'ten'],
        ['e/2', 'two'],
      ])
      store.close()
    })

    it('includes the lower end of a range and excludes the upper one', async () => {
      const store = await open()
      await store.write(['a', 'b', 'c'].map((key) => [key, key]))
      expect(await store.read('a', 'c', 9)).toEqual([
        ['a', 'a'],
        ['b', 'b'],
      ])
      expect(await store.keys('a', 'c')).toEqual(['a', 'b'])
      store.close()
    })

    it('returns the first `limit` records', async () => {
      const store = await open()
      await store.write(['a', 'b', 'c'].map((key) => [key, key]))
      expect((await store.read(...ALL_KEYS, 2)).map(([key]) => key)).toEqual(['a', 'b'])
      store.close()
    })

    it('returns nothing for an empty range', async () => {
      const store = await open()
      expect(await store.read('e/', 'e0', 9)).toEqual([])
      expect(await store.keys('e/', 'e0')).toEqual([])
      store.close()
    })

    it('overwrites a record and deletes it with an undefined value', async () => {
      const store = await open()
      await store.write([['a', '1']])
      await store.write([
        ['a', '2'],
        ['missing', undefined],
      ])
      expect(await store.read(...ALL_KEYS, 9)).toEqual([['a', '2']])
      await store.write([['a', undefined]])
      expect(await store.keys(...ALL_KEYS)).toEqual([])
      store.close()
    })

    it('accepts a write without records', async () => {
      const store = await open()
      await store.write([])
      expect(await store.keys(...ALL_KEYS)).toEqual([])
      store.close()
    })

    it('reads a record and writes others in one transaction', async () => {
      const store = await open()
      const values: (string | undefined)[] = []
      const append = (value: string | undefined): StoreEntry[] => {
        values.push(value)
        return [
          ['a', `${value ?? ''}x`],
          ['b', undefined],
        ]
      }
      await store.write([['b', '1']])
      await Promise.all([store.update('a', append), store.update('a', append)])
      await store.update('a', () => [])
      expect(values).toEqual([undefined, 'x'])
      expect(await store.read(...ALL_KEYS, 9)).toEqual([['a', 'xx']])
      store.close()
    })

    it('writes nothing when the change of an update throws', async () => {
      const store = await open()
      const fail = (): never => {
        throw new Error('no')
      }
      await expect(store.update('a', fail)).rejects.toThrow('no')
      await store.write([['b', '1']])
      expect(await store.keys(...ALL_KEYS)).toEqual(['b'])
      store.close()
    })

    it('applies calls in the order in which they were made', async () => {
      const store = await open()
      const [, , records] = await Promise.all([
        store.write([['a', '1']]),
        store.write([['a', '2']]),
        store.read(...ALL_KEYS, 9),
        store.write([['a', undefined]]),
      ])
      expect(records).toEqual([['a', '2']])
      expect(await store.keys(...ALL_KEYS)).toEqual([])
      store.close()
    })

    it('opens again after it was closed', async () => {
      const store = await open()
      store.close()
      await store.write([['a', '1']])
      expect(await store.read(...ALL_KEYS, 9)).toEqual([['a', '1']])
      store.close()
    })

    it('behaves like a sorted map', async () => {
      const key = fc.constantFrom('a', 'b', 'b/1', 'c', 'é')
      const entry = fc.tuple(key, fc.option(fc.string(), { nil: undefined }))
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(entry, { maxLength: 4 }), { maxLength: 6 }),
          key,
          key,
          async (turns, from, to) => {
            const store = await open()
            const model = new Map<string, string>()
            for (const turn of turns) {
              await store.write(turn)
              for (const [key, value] of turn)
                if (value === undefined) model.delete(key)
                else model.set(key, value)
            }
            const expected = [...model].filter(([key]) => from <= key && key < to).sort(([a], [b]) => (a < b ? -1 : 1))
            expect(await store.read(from, to, 99)).toEqual(expected)
            expect(await store.keys(from, to)).toEqual(expected.map(([key]) => key))
            store.close()
          },
        ),
        { numRuns: 40 },
      )
    })
  })
}
