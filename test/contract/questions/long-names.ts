import { beforeAll, describe, expect, it } from 'vitest'
import { showEvent } from '../../../src/service/insight/events/answer-events.ts'
import type { Condition } from '../../../src/service/insight/filter/condition.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import type { EventSelection } from '../../../src/service/insight/question/subject.ts'
import {
  MAX_EVENT_NAME_CHARACTERS,
  MAX_PROPERTY_NAME_CHARACTERS,
  MAX_SHOWN_VALUE_BYTES,
} from '../../../src/wire/bounds.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const START = Date.UTC(2020, 0, 1)
const ALL: Condition = combine('all', [])
const SELECTION: EventSelection = { condition: ALL, matching: { rules: {}, now: START }, path: 'query' }
const TIMEOUT = { timeoutMs: 10_000 }
const PAGE = { order: [], limit: 100, offset: 0 }

/** Longer than a SELECT may be. */
const long = (character: string): string => character.repeat(100_000)

/** Tests that every event store must pass: names and ids that were stored before they had bounds leave the lists readable. */
export const longNamesContract = (create: () => StoreUnderTest): void => {
  describe('names and ids that are stored and too long', () => {
    const getStore = openForSuite(create)
    beforeAll(async () => {
      const person = { properties: { plan: 'pro', [long('p')]: 1 }, createdAt: START }
      const groups = { company: long('k') }
      await storeWorld(getStore(), [
        worldEvent({
          event: long('e'),
          distinctId: long('d'),
          timestamp: START,
          properties: { [long('n')]: 1 },
          person,
        }),
        worldEvent({
          event: 'paid',
          timestamp: START,
          properties: { price: 7 },
          person,
          groups,
          groupProperties: { company: { [long('g')]: 1, size: 2 } },
        }),
        worldEvent({
          event: 'paid',
          timestamp: START,
          groups: { company: 'acme' },
          groupProperties: { company: { size: 3 } },
        }),
      ])
    })

    it('are cut in the list of the names of events', async () => {
      const names = await getStore().eventNames({ ...TIMEOUT })
      expect(names.map(({ name }) => name)).toEqual(['paid', 'e'.repeat(MAX_EVENT_NAME_CHARACTERS)])
    })

    it('are left out of the names of properties', async () => {
      for (const owner of [{ of: 'event' }, { of: 'person' }, { of: 'group', type: 'company' }] as const) {
        const names = await getStore().propertyNames({ owner, ...TIMEOUT })
        expect(names.length).toBeGreaterThan(0)
        for (const { name } of names) expect(name.length).toBeLessThanOrEqual(MAX_PROPERTY_NAME_CHARACTERS)
      }
    })

    it('are shown cut in the list of events, with a mark', async () => {
      const range = { from: START, before: START + 1_000 }
      const asked = { events: SELECTION, range, hasProperties: true, hasPersons: true, texts: [] }
      const { events } = await getStore().events({ ...asked, ...PAGE, ...TIMEOUT })
      const shown = events.map(showEvent).find(({ event }) => event !== 'paid')!
      for (const [text, character] of [
        [shown.event, 'e'],
        [shown.distinctId, 'd'],
      ] as const) {
        expect(text.endsWith(`${character}…`)).toBe(true)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_SHOWN_VALUE_BYTES)
      }
      expect(events.length).toBe(3)
    })

    it('are cut in the list of persons, which has all of them', async () => {
      const of = { kind: 'all', actor: { of: 'person' } } as const
      const { actors } = await getStore().actors({ of, persons: SELECTION, search: null, ...PAGE, ...TIMEOUT })
      expect(actors.length).toBe(2)
      for (const actor of actors)
        for (const id of actor.of === 'person' ? actor.distinctIds : [])
          expect(id.length).toBeLessThanOrEqual(MAX_SHOWN_VALUE_BYTES)
    })

    it('leave the other groups of their type in the list', async () => {
      const of = { kind: 'all', actor: { of: 'group', type: 'company' } } as const
      const { actors } = await getStore().actors({ of, persons: SELECTION, search: null, ...PAGE, ...TIMEOUT })
      expect(actors.map((actor) => actor.of === 'group' && actor.key)).toEqual(['acme'])
    })
  })
}
