import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCalledLog, readOf } from '../../../src/flags/server/called-log.ts'

describe('createCalledLog', () => {
  // behaviour.md 15: "Bounded: at capacity evict oldest/LRU one by one, never empty the whole map. (better than the field) node
  // empties all 50 000 at once."
  it('remembers what a list of the last reads would', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ add: fc.nat(12).map(String) }) },
      { weight: 2, arbitrary: fc.record({ remove: fc.nat(12).map(String) }) },
      { weight: 1, arbitrary: fc.constant({ clear: true as const }) },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
        const log = createCalledLog(capacity)
        let model: string[] = []
        for (const each of steps) {
          if ('add' in each) {
            expect(log.add(each.add)).toBe(!model.includes(each.add))
            model = [...model.filter((read) => read !== each.add), each.add].slice(-capacity)
          } else if ('remove' in each) {
            log.remove(each.remove)
            model = model.filter((read) => read !== each.remove)
          } else {
            log.clear()
            model = []
          }
        }
      }),
    )
  })

  it('forgets one read for each one too many, at the size of a server', () => {
    const log = createCalledLog(50_000)
    for (let read = 0; read < 50_000; read++) log.add(String(read))
    expect(log.add('one more')).toBe(true)
    for (let read = 1; read < 50_000; read++) if (log.add(String(read))) throw new Error(`${read} was forgotten`)
    expect(log.add('0')).toBe(true)
  })

  it.each([0, -1])('remembers the last one at least, for a capacity of %d, too', (capacity) => {
    const log = createCalledLog(capacity)
    expect([log.add('a'), log.add('a')]).toEqual([true, false])
  })
})

describe('readOf', () => {
  const text = fc.oneof(fc.constantFrom('', 'a', 'ab', '1', ',', '=', 'true', 'undefined', '["a"]'), fc.string())
  const groups = fc.dictionary(text, text, { maxKeys: 3 })
  const read = fc.tuple(text, text, fc.oneof(text, fc.boolean(), fc.constant(undefined)), groups)
  const canonical = ([id, key, value, given]: readonly [
    string,
    string,
    boolean | string | undefined,
    Record<string, string>,
  ]) => JSON.stringify([id, key, value ?? null, Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1))])

  it('is the same text for the same read alone', () => {
    fc.assert(
      fc.property(read, read, (one, other) => {
        expect(readOf(...one) === readOf(...other)).toBe(canonical(one) === canonical(other))
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not depend on the order of the groups', () => {
    fc.assert(
      fc.property(read, ([id, key, value, given]) => {
        const turned = Object.fromEntries(Object.entries(given).reverse())
        expect(readOf(id, key, value, turned)).toBe(readOf(id, key, value, given))
      }),
    )
  })

  it('tells a variant from a value of the same name', () => {
    expect(
      new Set([true, 'true', undefined, 'undefined', false].map((value) => readOf('u', 'a', value, {}))).size,
    ).toBe(5)
  })
})
