import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import type { Condition } from '../../../../../../src/service/insight/filter/condition.ts'
import { combine } from '../../../../../../src/service/insight/filter/condition.ts'
import type { TrendQuestion } from '../../../../../../src/service/insight/question/trend.ts'
import { canUseCounts } from '../../../../../../src/service/store/events/duckdb/question/counted-trend.ts'
import { periodsOf, world } from '../../../../../contract/questions/arbitrary.ts'
import { answerTrend } from '../../../../../contract/questions/reference/trend.ts'
import { storeWorld } from '../../../../../contract/questions/world.ts'
import type { WorldEvent } from '../../../../../contract/questions/world.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'

const MINUTE_MS = 60_000
const START = Date.UTC(2026, 0, 1)

const named = (name: string): Condition => ({ kind: 'event_name', name })

const questionOf = (changes: Partial<TrendQuestion> = {}): TrendQuestion => ({
  events: { condition: named('a'), matching: { rules: {}, now: START }, path: 'query' },
  measure: { kind: 'count' },
  breakdown: null,
  isTotal: false,
  periods: {
    range: { from: START, before: START + 60 * MINUTE_MS },
    starts: [START, START + 30 * MINUTE_MS],
    end: START + 60 * MINUTE_MS,
  },
  ...changes,
})

describe('a trend is answered from counts', () => {
  const withCondition = (condition: Condition) => questionOf({ events: { ...questionOf().events, condition } })
  it('if it asks for numbers of events of some names, or of all', () => {
    expect(canUseCounts(questionOf())).toBe(true)
    expect(canUseCounts(withCondition(combine('all', [])))).toBe(true)
    expect(canUseCounts(withCondition(combine('any', [named('a'), named('b')])))).toBe(true)
  })

  it('but not if it depends on anything else', () => {
    const field: Condition = { kind: 'event_field', field: 'distinct_id', value: 'ada' }
    expect(canUseCounts(withCondition(combine('all', [named('a'), field])))).toBe(false)
    const actor = { of: 'person' } as const
    expect(canUseCounts(questionOf({ measure: { kind: 'unique', actor, isCumulative: false } }))).toBe(false)
    const plan = { source: { of: 'event' }, name: 'plan' } as const
    expect(canUseCounts(questionOf({ breakdown: { properties: [plan], groups: [] } }))).toBe(false)
  })

  it('but not if a time is not a whole quarter of an hour', () => {
    const { periods } = questionOf()
    const { range, starts, end } = periods
    for (const changed of [
      { range: { ...range, from: range.from + 1 } },
      { range: { ...range, before: range.before - MINUTE_MS } },
      { starts: [...starts, end - 14 * MINUTE_MS] },
      { end: end + MINUTE_MS },
    ])
      expect(canUseCounts(questionOf({ periods: { ...periods, ...changed } }))).toBe(false)
  })
})

test('a trend that is answered from counts has the numbers of counting one event at a time', async () => {
  // So that some events are counted and some are not.
  const { store, close } = await openTestEventStore(1, { countStepRows: 3, minEventsPerCount: 0 })
  onTestFinished(close)
  const names = fc.array(fc.constantFrom('a', 'b', 'c', "it's"), { maxLength: 2 })
  const asked = world.chain((of) =>
    fc.record({ of: fc.constant(of), periods: periodsOf(of), isTotal: fc.boolean(), names }),
  )
  const stored: WorldEvent[] = []
  let counted = 0
  await fc.assert(
    fc.asyncProperty(asked, async ({ of, periods, isTotal, names: chosen }) => {
      await storeWorld(store, of.events)
      stored.push(...of.events)
      const condition = chosen.length === 0 ? combine('all', []) : combine('any', chosen.map(named))
      const question = questionOf({ events: { ...questionOf().events, condition }, periods, isTotal })
      if (canUseCounts(question)) counted += 1
      expect(await store.trend({ ...question, timeoutMs: 10_000 })).toEqual(answerTrend(question, stored))
    }),
    { numRuns: 60 },
  )
  expect(counted).toBeGreaterThan(30)
})
