import { describe, expect, it } from 'vitest'
import type { CachedAnswer } from '../../../../src/service/insight/cache/answer-cache.ts'
import { GRACE_MS, isFresh, MAX_AGE_MS } from '../../../../src/service/insight/cache/is-fresh.ts'

const COMPUTED = 1_000_000_000
const answerOf = (fields: Partial<CachedAnswer> = {}): CachedAnswer => ({
  results: [],
  computedAt: COMPUTED,
  validBefore: COMPUTED + 10 * MAX_AGE_MS,
  counts: [{ range: { from: 0, before: COMPUTED }, count: 3 }],
  ...fields,
})
const check = (answer: CachedAnswer, age: number, count = 3): Promise<boolean> =>
  isFresh(answer, COMPUTED + age, () => Promise.resolve(count))

describe('isFresh', () => {
  it('is true while the number of events is the same', async () => {
    expect(await check(answerOf(), MAX_AGE_MS - 1)).toBe(true)
  })

  it('is false for an answer about the past as soon as an event arrives late', async () => {
    expect(await check(answerOf(), 0, 4)).toBe(false)
  })

  it('is true for an answer about now for a while, whatever arrives', async () => {
    const answer = answerOf({ counts: [{ range: { from: 0 }, count: 3 }] })
    expect(await check(answer, GRACE_MS - 1, 4)).toBe(true)
    expect(await check(answer, GRACE_MS, 4)).toBe(false)
    expect(await check(answer, GRACE_MS, 3)).toBe(true)
  })

  it('is false for an old answer, one whose dates have become others, and after the clock was set back', async () => {
    expect(await check(answerOf(), MAX_AGE_MS)).toBe(false)
    expect(await check(answerOf({ validBefore: COMPUTED + 5 }), 4)).toBe(true)
    expect(await check(answerOf({ validBefore: COMPUTED + 5 }), 5)).toBe(false)
    expect(await check(answerOf(), -1)).toBe(false)
  })

  it('counts each range', async () => {
    const answer = answerOf({
      counts: [
        { range: { before: 10 }, count: 1 },
        { range: { before: 20 }, count: 2 },
      ],
    })
    const countIn = (counts: readonly number[]) =>
      isFresh(answer, COMPUTED, ({ before }) => Promise.resolve(counts[before! / 10 - 1]!))
    expect(await countIn([1, 2])).toBe(true)
    expect(await countIn([1, 3])).toBe(false)
  })
})
