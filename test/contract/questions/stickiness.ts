import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import type { StickinessAnswer, StickinessQuestion } from '../../../src/service/insight/question/stickiness.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { actor, condition, periodsOf, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerStickiness } from './reference/stickiness.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const DAY_MS = 86_400_000

export const stickinessQuestion = (of: World): fc.Arbitrary<StickinessQuestion> =>
  fc.record({
    events: condition.map((each) => toSelection(each, of)),
    actor,
    periods: periodsOf(of),
    criterion: fc.record({
      operator: fc.constantFrom('gte' as const, 'gte' as const, 'lte' as const, 'exact' as const),
      value: fc.integer({ min: 1, max: 3 }),
    }),
  })

/** Tests that every event store must pass. */
export const stickinessContract = (create: () => StoreUnderTest): void => {
  describe('a stickiness', () => {
    const getStore = openForSuite(create)
    const ask = (asked: StickinessQuestion): Promise<StickinessAnswer> =>
      getStore().stickiness({ ...asked, timeoutMs: 10_000 })

    it('has the numbers that were counted by hand', async () => {
      const day = Date.UTC(2020, 0, 1)
      const view = (distinctId: string, ...days: readonly number[]) =>
        days.map((each) => worldEvent({ distinctId, timestamp: day + each * DAY_MS }))
      await storeWorld(getStore(), [
        ...view('ada', 0, 0, 1, 2),
        ...view('bob', 0, 2, 2),
        ...view('eve', -1, 1),
        ...view('old', 3),
      ])
      const end = day + 3 * DAY_MS
      const asked: StickinessQuestion = {
        events: { condition: { kind: 'all', conditions: [] }, matching: { rules: {}, now: day }, path: 'query' },
        actor: { of: 'person' },
        periods: { range: { from: day, before: end }, starts: [day, day + DAY_MS, day + 2 * DAY_MS], end },
        criterion: { operator: 'gte', value: 1 },
      }
      expect(await ask(asked)).toEqual({ actors: [1, 1, 1] })
      expect(await ask({ ...asked, criterion: { operator: 'gte', value: 2 } })).toEqual({ actors: [2, 0, 0] })
      expect(await ask({ ...asked, criterion: { operator: 'lte', value: 1 } })).toEqual({ actors: [2, 1, 0] })
      expect(await ask({ ...asked, criterion: { operator: 'exact', value: 2 } })).toEqual({ actors: [2, 0, 0] })
    })

    it('has the numbers of counting one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) =>
            fc.tuple(fc.constant(of), fc.array(stickinessQuestion(of), { minLength: 8, maxLength: 8 })),
          ),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const asked of questions) expect(await ask(asked)).toEqual(answerStickiness(asked, of.events))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 240_000)
  })
}
