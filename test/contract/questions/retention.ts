import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import type { CohortRule, RetentionAnswer, RetentionQuestion } from '../../../src/service/insight/question/retention.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { actor, condition, periodsOf, property, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerRetention } from './reference/retention.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export const retentionQuestion = (of: World): fc.Arbitrary<RetentionQuestion> => {
  const conditionHere = condition.map((each) => toSelection(each, of).condition)
  return fc.record({
    events: condition.map((each) => toSelection(each, of)),
    cohorts: fc.oneof(
      fc.constantFrom<CohortRule>({ of: 'every_period' }, { of: 'first_time' }),
      fc.record({ of: fc.constant('first_among' as const), among: conditionHere }),
    ),
    returning: conditionHere,
    minimumReturns: fc.constantFrom(1, 1, 2),
    isCumulative: fc.boolean(),
    actor,
    periods: periodsOf(of),
    breakdown: fc.option(
      fc.record({
        properties: fc.array(property, { minLength: 1, maxLength: 2 }),
        limit: fc.integer({ min: 1, max: 4 }),
      }),
    ),
  })
}

/** Tests that every event store must pass. */
export const retentionContract = (create: () => StoreUnderTest): void => {
  describe('a retention', () => {
    const getStore = openForSuite(create)
    const ask = (asked: RetentionQuestion): Promise<RetentionAnswer> =>
      getStore().retention({ ...asked, timeoutMs: 10_000 })

    it('has the numbers that were counted by hand', async () => {
      const day = Date.UTC(2020, 0, 1)
      const doOn = (event: string, distinctId: string, days: number, plan?: string) =>
        worldEvent({
          event,
          distinctId,
          timestamp: day + days * DAY_MS,
          properties: plan === undefined ? {} : { plan },
        })
      await storeWorld(getStore(), [
        doOn('open', 'old', -5),
        doOn('open', 'old', 0, 'pro'),
        doOn('save', 'old', 1),
        doOn('open', 'ada', 0, 'pro'),
        doOn('open', 'ada', 1, 'free'),
        doOn('save', 'ada', 2),
        doOn('save', 'ada', 2),
        doOn('open', 'bob', 1),
        doOn('save', 'bob', 1),
        doOn('save', 'eve', 2),
      ])
      const starts = [day, day + DAY_MS, day + 2 * DAY_MS]
      const end = day + 3 * DAY_MS
      const open = { kind: 'event_name', name: 'open' } as const
      const asked: RetentionQuestion = {
        events: { condition: open, matching: { rules: {}, now: day }, path: 'query' },
        cohorts: { of: 'every_period' },
        returning: { kind: 'event_name', name: 'save' },
        minimumReturns: 1,
        isCumulative: false,
        actor: { of: 'person' },
        periods: { range: { from: day, before: end }, starts, end },
        breakdown: null,
      }
      const cohortsOf = async (fields: Partial<RetentionQuestion>): Promise<unknown> =>
        (await ask({ ...asked, ...fields })).groups.map(({ values, cohorts }) => [values, cohorts])
      expect(await cohortsOf({})).toEqual([[[], [[2, 1, 1], [2, 1], [0]]]])
      expect(await cohortsOf({ isCumulative: true })).toEqual([[[], [[2, 2, 1], [2, 1], [0]]]])
      expect(await cohortsOf({ minimumReturns: 2 })).toEqual([[[], [[2, 0, 1], [2, 1], [0]]]])
      expect(await cohortsOf({ cohorts: { of: 'first_time' } })).toEqual([[[], [[1, 0, 1], [1, 0], [0]]]])
      const plan = { properties: [{ source: { of: 'event' }, name: 'plan' } as const], limit: 5 }
      expect(await cohortsOf({ breakdown: plan })).toEqual([
        [['pro'], [[2, 1, 1], [0, 0], [0]]],
        [['free'], [[0, 0, 0], [1, 1], [0]]],
        [[null], [[0, 0, 0], [1, 0], [0]]],
      ])
      expect(await cohortsOf({ breakdown: { ...plan, limit: 1 } })).toEqual([
        [['pro'], [[2, 1, 1], [0, 0], [0]]],
        ['others', [[0, 0, 0], [2, 1], [0]]],
      ])
      const isPro = {
        kind: 'property',
        path: 'query',
        source: { of: 'event' },
        name: 'plan',
        operator: 'exact',
      } as const
      const events = { ...asked.events, condition: { ...isPro, value: 'pro', isNegated: false } }
      expect(await cohortsOf({ events, cohorts: { of: 'first_time' } })).toEqual([[[], [[2, 1, 1], [0, 0], [0]]]])
      // The first "open" of "old" had no plan.
      const cohorts = { of: 'first_among', among: open } as const
      expect(await cohortsOf({ events, cohorts })).toEqual([[[], [[1, 0, 1], [0, 0], [0]]]])
    })

    it('has a hundred periods, and many persons', async () => {
      const start = Date.UTC(2021, 0, 1)
      const starts = Array.from({ length: 100 }, (_, index) => start + index * HOUR_MS)
      const end = start + 100 * HOUR_MS
      const personsAt = (count: number, timestamp: number) =>
        Array.from({ length: count }, (_, index) => worldEvent({ timestamp, distinctId: `person ${index}` }))
      await storeWorld(getStore(), [...personsAt(200, start), ...personsAt(150, end - 1)])
      const all = { kind: 'all', conditions: [] } as const
      const { groups } = await ask({
        events: { condition: all, matching: { rules: {}, now: start }, path: 'query' },
        cohorts: { of: 'every_period' },
        returning: all,
        minimumReturns: 1,
        isCumulative: false,
        actor: { of: 'person' },
        periods: { range: { from: start, before: end }, starts, end },
        breakdown: null,
      })
      expect(groups[0]!.cohorts[0]).toEqual([200, ...starts.slice(2).map(() => 0), 150])
      expect(groups[0]!.cohorts[99]).toEqual([150])
    })

    it('has the numbers of counting one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) =>
            fc.tuple(fc.constant(of), fc.array(retentionQuestion(of), { minLength: 8, maxLength: 8 })),
          ),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const asked of questions) expect(await ask(asked)).toEqual(answerRetention(asked, of.events))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 240_000)
  })
}
