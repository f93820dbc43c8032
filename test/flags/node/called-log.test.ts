import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCalledLog, readerKey } from '../../../src/flags/node/called-log.ts'
import type { FlagValue } from '../../../src/wire/decide.ts'

type Read = readonly [reader: string, key: string, value: FlagValue | undefined]

const isSame = (a: Read, b: Read): boolean => a.every((part, index) => part === b[index])

/** A simple model of the log: readers by their last use, each with its reads, oldest first. */
const modelOf = (capacity: number) => {
  let readers: { readonly reader: string; readonly reads: Read[] }[] = []
  const size = (): number => readers.reduce((sum, { reads }) => sum + reads.length, 0)
  const removeEmpty = (): void => void (readers = readers.filter(({ reads }) => reads.length > 0))
  return {
    size,
    add(read: Read): boolean {
      const entry = readers.find(({ reader }) => reader === read[0]) ?? { reader: read[0], reads: [] }
      readers = [...readers.filter((each) => each !== entry), entry]
      const isNew = !entry.reads.some((each) => isSame(each, read))
      if (isNew) {
        // Values of one flag stay together, after the first of them.
        const lastIndex = entry.reads.findLastIndex(([, key]) => key === read[1])
        entry.reads.splice(lastIndex < 0 ? entry.reads.length : lastIndex + 1, 0, read)
      }
      if (size() > capacity) readers[0]!.reads.shift()
      removeEmpty()
      return isNew
    },
    remove(read: Read): void {
      for (const { reads } of readers) {
        const index = reads.findIndex((each) => isSame(each, read))
        if (index >= 0) reads.splice(index, 1)
      }
      removeEmpty()
    },
    clear: () => void (readers = []),
  }
}

describe('createCalledLog', () => {
  const read: fc.Arbitrary<Read> = fc.tuple(
    fc.constantFrom('u', 'v', 'w'),
    fc.constantFrom('a', 'b', 'constructor'),
    fc.constantFrom(true, 'true', undefined),
  )
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ add: read }) },
    { weight: 2, arbitrary: fc.record({ remove: read }) },
    { weight: 1, arbitrary: fc.constant({ clear: true as const }) },
  )

  // Specification, section 15: "Bounded: at capacity evict oldest/LRU one by one, never empty the whole map. (better than the field) node
  // empties all 50 000 at once."
  it('behaves like a simple model of readers and reads', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
        const log = createCalledLog(capacity)
        const model = modelOf(capacity)
        for (const each of steps) {
          if ('add' in each) expect(log.add(...each.add)).toBe(model.add(each.add))
          else if ('remove' in each) {
            log.remove(...each.remove)
            model.remove(each.remove)
          } else {
            log.clear()
            model.clear()
          }
          expect(model.size()).toBeLessThanOrEqual(capacity)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('evicts one read for each new read at a capacity of 50,000', () => {
    const log = createCalledLog(50_000)
    for (let user = 0; user < 50_000; user++) log.add(String(user), 'a', true)
    expect(log.add('one more', 'a', true)).toBe(true)
    for (let user = 1; user < 50_000; user++)
      if (log.add(String(user), 'a', true)) throw new Error(`${user} was forgotten`)
    expect(log.add('0', 'a', true)).toBe(true)
  })

  it.each([0, -1])('remembers the last read even with a capacity of %d', (capacity) => {
    const log = createCalledLog(capacity)
    expect([log.add('u', 'a', true), log.add('u', 'a', true)]).toEqual([true, false])
  })
})

describe('readerKey', () => {
  const idOrKey = fc.oneof(fc.constantFrom('', 'a', 'ab', ',', '[', '["a"]', '["a",["a","a"]]'), fc.string())
  const reader = fc.tuple(idOrKey, fc.dictionary(idOrKey, idOrKey, { maxKeys: 3 }))
  const canonical = ([id, groups]: readonly [string, Record<string, string>]): string =>
    JSON.stringify([id, Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1))])

  it('is equal only for equal users with equal groups', () => {
    fc.assert(
      fc.property(reader, reader, (first, second) => {
        expect(readerKey(...first) === readerKey(...second)).toBe(canonical(first) === canonical(second))
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not depend on the order of the groups', () => {
    fc.assert(
      fc.property(reader, ([id, groups]) => {
        const reversed = Object.fromEntries(Object.entries(groups).reverse())
        expect(readerKey(id, reversed)).toBe(readerKey(id, groups))
      }),
    )
  })
})
