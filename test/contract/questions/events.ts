import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import { EVENT_ORDERS } from '../../../src/service/insight/question/events.ts'
import type { EventsAnswer, EventsQuestion } from '../../../src/service/insight/question/events.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { condition, property, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerEvents } from './reference/events.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const DAY_MS = 86_400_000

const question = (of: World): fc.Arbitrary<EventsQuestion> =>
  fc.record({
    events: condition.map((each) => toSelection(each, of)),
    range: fc.constantFrom(
      {},
      { from: of.start + 5 * DAY_MS },
      { before: of.start + 20 * DAY_MS },
      { from: of.start + DAY_MS, before: of.start + 30 * DAY_MS },
    ),
    hasProperties: fc.boolean(),
    hasPersons: fc.boolean(),
    texts: fc.array(property, { maxLength: 2 }),
    order: fc.array(fc.record({ by: fc.constantFrom(...EVENT_ORDERS), isDescending: fc.boolean() }), { maxLength: 2 }),
    limit: fc.constantFrom(1, 3, 100),
    offset: fc.constantFrom(0, 0, 2),
  })

/** Tests that every event store must pass. */
export const eventsContract = (create: () => StoreUnderTest): void => {
  describe('events', () => {
    const getStore = openForSuite(create)
    const ask = (asked: EventsQuestion): Promise<EventsAnswer> => getStore().events({ ...asked, timeoutMs: 10_000 })

    it('are the newest ones that match, with their persons', async () => {
      const start = Date.UTC(2020, 0, 1)
      const person = { properties: { email: 'ada@x.example' }, createdAt: start }
      const [first, second] = [0, 1].map((minute) =>
        worldEvent({ event: 'a', timestamp: start + minute * 60_000, properties: { minute }, person }),
      )
      await storeWorld(getStore(), [first!, second!, worldEvent({ event: 'b', timestamp: start })])
      const asked: EventsQuestion = {
        events: { condition: { kind: 'event_name', name: 'a' }, matching: { rules: {}, now: start }, path: 'query' },
        range: { from: start, before: start + DAY_MS },
        hasProperties: true,
        hasPersons: true,
        texts: [{ source: { of: 'event' }, name: 'minute' }],
        order: [{ by: 'timestamp', isDescending: true }],
        limit: 1,
        offset: 0,
      }
      const { events, hasMore } = await ask(asked)
      expect(hasMore).toBe(true)
      expect(events).toEqual([
        {
          uuid: second!.uuid,
          event: 'a',
          distinctId: 'ada',
          timestamp: start + 60_000,
          receivedAt: expect.any(Number),
          properties: { minute: 1 },
          person: { of: 'person', id: second!.personId, isIdentified: true, distinctIds: ['ada'], ...person },
          texts: ['1'],
        },
      ])
      expect((await ask({ ...asked, offset: 2 })).events).toEqual([])
      const uuidsWith = async (field: 'distinct_id' | 'person_id' | 'uuid', value: string) => {
        const selection = { ...asked.events, condition: { kind: 'event_field', field, value } as const }
        return (await ask({ ...asked, events: selection, limit: 10 })).events.map(({ uuid }) => uuid)
      }
      expect(await uuidsWith('uuid', first!.uuid)).toEqual([first!.uuid])
      expect(await uuidsWith('distinct_id', 'ada')).toHaveLength(3)
      expect(await uuidsWith('distinct_id', 'Ada')).toEqual([])
      expect(await uuidsWith('person_id', first!.personId)).toHaveLength(3)
      expect(await uuidsWith('person_id', "no 'uuid")).toEqual([])
    })

    it('are those of reading one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) => fc.tuple(fc.constant(of), fc.array(question(of), { minLength: 8, maxLength: 8 }))),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const each of questions) expect(await ask(each)).toEqual(answerEvents(each, of.events))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 120_000)
  })
}
