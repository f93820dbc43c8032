import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import type { NumberRange } from '../../../src/service/insight/question/number-bins.ts'
import type { NumberRangeQuestion } from '../../../src/service/insight/question/number-range.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { condition, periodsOf, property, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { openForSuite } from './open-for-suite.ts'
import { answerNumberRange } from './reference/number-range.ts'
import { storeWorld, worldEvent } from './world.ts'

const question = (of: World): fc.Arbitrary<NumberRangeQuestion> =>
  fc.record({
    selections: fc.array(
      fc.record({
        events: condition.map((each) => toSelection(each, of)),
        range: periodsOf(of).map(({ range }) => range),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    property: property.filter(({ rule }) => rule === undefined),
  })

/** Tests that every event store must pass. */
export const numberRangeContract = (create: () => StoreUnderTest): void => {
  describe('the range of numbers', () => {
    const getStore = openForSuite(create)
    const ask = (asked: NumberRangeQuestion): Promise<NumberRange | null> =>
      getStore().numberRange({ ...asked, timeoutMs: 10_000 })

    it('is that of the numbers of all selected events', async () => {
      const day = Date.UTC(2020, 0, 1)
      const values = [10, '2.5', 'none', null, -1, true, '1e2', 7]
      await storeWorld(
        getStore(),
        values.map((price, index) => worldEvent({ event: 'buy', timestamp: day + index, properties: { price } })),
      )
      const events = (name: string) => ({
        condition: combine('all', [{ kind: 'event_name' as const, name }]),
        matching: { rules: {}, now: day },
        path: 'query',
      })
      const price = { source: { of: 'event' }, name: 'price' } as const
      const rangeOf = (from: number, before: number, name = 'buy') => ({
        events: events(name),
        range: { from: day + from, before: day + before },
      })
      expect(await ask({ selections: [rangeOf(0, 8)], property: price })).toEqual({ least: -1, greatest: 100 })
      expect(await ask({ selections: [rangeOf(0, 2), rangeOf(7, 8)], property: price })).toEqual({
        least: 2.5,
        greatest: 10,
      })
      expect(await ask({ selections: [rangeOf(2, 4)], property: price })).toBeNull()
      expect(await ask({ selections: [rangeOf(0, 8, 'look')], property: price })).toBeNull()
    })

    it('is that of reading one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) => fc.tuple(fc.constant(of), fc.array(question(of), { minLength: 8, maxLength: 8 }))),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const each of questions) expect(await ask(each)).toEqual(answerNumberRange(each, of.events))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 60_000)
  })
}
