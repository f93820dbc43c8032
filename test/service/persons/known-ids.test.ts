import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createKnownIds } from '../../../src/service/persons/known-ids.ts'

const SECOND = 1000

const anyId = fc.oneof(
  fc.nat(400).map((n) => `id ${n}`),
  fc.constantFrom('', 'a', 'ab', 'ba', 'a\0', 'ä', 'й', '😀', '\ud800'),
)
const anyTime = fc.oneof(
  fc.integer({ min: -5, max: 20 }).map((n) => n * 700),
  fc.constantFrom(-8.64e15, 2 ** 32 * SECOND, 8.64e15, Number.NaN),
)
const anyCall = fc.record({ isAdd: fc.boolean(), scope: fc.nat(2), id: anyId, time: anyTime })

/** Runs calls on a table and on a map of what was added; returns how often the table forgot an id. */
const countForgotten = (
  calls: readonly (typeof anyCall extends fc.Arbitrary<infer Call> ? Call : never)[],
  max?: number,
) => {
  const knownIds = createKnownIds(max)
  const added = new Map<string, number>()
  let forgotten = 0
  for (const { isAdd, scope, id, time } of calls) {
    const key = `${scope} ${id}`
    const createdAt = added.get(key)
    if (isAdd) {
      knownIds.add(scope, id, time)
      if (time < 2 ** 32 * SECOND - SECOND) added.set(key, Math.min(createdAt ?? time, time))
      continue
    }
    const isCovered = knownIds.covers(scope, id, time)
    // A time is kept in whole seconds, and not before 1970.
    if (isCovered) expect(createdAt).toBeLessThanOrEqual(time)
    else if (createdAt !== undefined && time >= Math.max(0, createdAt + SECOND)) forgotten += 1
  }
  return forgotten
}

it('knows what was added, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(anyCall, { maxLength: 60 }), (calls) => {
      expect(countForgotten(calls)).toBe(0)
    }),
    { numRuns: 300 },
  )
})

it('forgets ids beyond its maximum, and is never wrong about the others', () => {
  fc.assert(
    fc.property(fc.array(anyCall, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), (calls, max) => {
      countForgotten(calls, max)
    }),
  )
})

it('grows, and keeps ids that are looked up while others come', () => {
  const knownIds = createKnownIds(5000)
  knownIds.add(1, 'frequent', 0)
  for (let n = 0; n < 20_000; n++) {
    knownIds.add(1, `visitor ${n}`, n * SECOND)
    if (n % 2000 === 0) expect(knownIds.covers(1, 'frequent', 0)).toBe(true)
    if (n >= 2000) expect(knownIds.covers(1, `visitor ${n - 2000}`, n * SECOND)).toBe(true)
    expect(knownIds.covers(2, `visitor ${n}`, n * SECOND)).toBe(false)
  }
  expect(knownIds.covers(1, 'visitor 0', 0)).toBe(false)
})
