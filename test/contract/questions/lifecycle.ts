import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import type { LifecycleAnswer, LifecycleQuestion } from '../../../src/service/insight/question/lifecycle.ts'
import { batchOf, storedEvent } from '../service-event-store.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { condition, periodsOf, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerLifecycle } from './reference/lifecycle.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const DAY_MS = 86_400_000

export const lifecycleQuestion = (of: World): fc.Arbitrary<LifecycleQuestion> =>
  fc.record({
    events: condition.map((each) => toSelection(each, of)),
    // No sessions: those of all worlds have the same names, and their first events are those of other worlds.
    actor: fc.constantFrom({ of: 'person' as const }, { of: 'group' as const, type: 'company' }),
    periods: periodsOf(of),
  })

/** Tests that every event store must pass. */
export const lifecycleContract = (create: () => StoreUnderTest): void => {
  describe('a lifecycle', () => {
    const getStore = openForSuite(create)
    const ask = (asked: LifecycleQuestion): Promise<LifecycleAnswer> =>
      getStore().lifecycle({ ...asked, timeoutMs: 10_000 })

    it('has the numbers that were counted by hand', async () => {
      const day = Date.UTC(2020, 0, 1)
      const view = (distinctId: string, created: number | null, ...days: readonly number[]) =>
        days.map((each) =>
          worldEvent({
            event: 'view',
            distinctId,
            timestamp: day + each * DAY_MS,
            groups: { company: `of ${distinctId}` },
            person: created === null ? null : { properties: {}, createdAt: day + created * DAY_MS },
          }),
        )
      await storeWorld(getStore(), [
        ...view('ada', -50, 0, 1, 3),
        ...view('bob', 2, 2),
        ...view('anonymous', null, 1, 2),
        // Its first event has another name, and is before the periods.
        worldEvent({ event: 'look', distinctId: 'shy', timestamp: day - 9 * DAY_MS }),
        ...view('shy', null, 3),
      ])
      const starts = [0, 1, 2, 3].map((each) => day + each * DAY_MS)
      const end = day + 4 * DAY_MS
      const asked: LifecycleQuestion = {
        events: { condition: { kind: 'event_name', name: 'view' }, matching: { rules: {}, now: day }, path: 'query' },
        actor: { of: 'person' },
        periods: { range: { from: day, before: end }, starts, end },
      }
      expect(await ask(asked)).toEqual({
        new: [1, 1, 0],
        returning: [1, 1, 0],
        resurrecting: [0, 0, 2],
        dormant: [0, 1, 2],
      })
      const ofAda = { type: 'company', key: 'of ada', properties: {}, createdAt: day + 3 * DAY_MS }
      const persons = { persons: [], distinctIds: new Map(), groups: [ofAda] }
      await getStore().commit(batchOf([storedEvent(0, { timestamp: day - 99 * DAY_MS })], { persons }))
      expect(await ask({ ...asked, actor: { of: 'group', type: 'company' } })).toEqual({
        new: [1, 1, 2],
        returning: [1, 1, 0],
        resurrecting: [0, 0, 0],
        dormant: [0, 1, 2],
      })
    })

    it('has the numbers of looking at one actor at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) =>
            fc.tuple(fc.constant(of), fc.array(lifecycleQuestion(of), { minLength: 8, maxLength: 8 })),
          ),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const asked of questions) expect(await ask(asked)).toEqual(answerLifecycle(asked, of.events))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 240_000)
  })
}
