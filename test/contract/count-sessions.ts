import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FilterError, UnsupportedFilterError } from '../../src/service/insight/filter/filter-error.ts'
import { parseSessionFilter } from '../../src/service/insight/session/parse-session-filter.ts'
import { writeSessionCount } from '../../src/service/insight/session/write-session-count.ts'
import type { EventStore } from '../../src/service/store/events/event-store.ts'
import type { Engine } from '../../src/service/store/events/question/engine.ts'
import { derivePersonId } from '../../src/service/persons/person-id.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { filterContext } from '../service/insight/filter-context.ts'
import { batchOf, select, storedEvent } from './service-event-store.ts'
import type { StoreUnderTest } from './service-event-store.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const MINUTE_MS = 60_000
const context = filterContext({ groupTypes: { '0': 'company' }, now: NOW })

/** Session, event, minutes before now, properties, distinct id. */
const EVENTS: readonly (readonly [string | null, string, number, JsonObject, string])[] = [
  ['s1', '$pageview', 60, { $browser: 'Chrome', path: '/' }, 'ada'],
  ['s1', 'paid', 50, { $browser: 'Chrome', amount: 10 }, 'ada'],
  ['s2', '$pageview', 30, { $browser: 'Firefox', path: '/pay' }, 'ada'],
  ['s2', '$pageview', 29, { $browser: 'Firefox', path: '/' }, 'ada'],
  ['s3', '$pageview', 3 * 24 * 60, { $browser: 'Chrome', path: '/pay' }, 'bob'],
  ['s3', 'Paid', 3 * 24 * 60 - 90, { $browser: 'Chrome', $groups: { company: 'acme' } }, 'bob'],
  [null, 'paid', 10, { $browser: 'Chrome' }, 'server'],
  ['', 'paid', 10, { $browser: 'Chrome' }, 'server'],
]

const groupOf = (type: 'AND' | 'OR', ...values: Json[]): JsonObject => ({
  filter_group: { type: 'AND', values: [{ type, values }] },
})
const event = (id: string | null, ...properties: Json[]): JsonObject => ({ id, name: id, type: 'events', properties })
const duration = (operator: string, value: number): JsonObject => ({
  duration: [{ type: 'recording', key: 'duration', operator, value }],
})

/** Tests that the counts of every engine must pass. */
export const countSessionsContract = (create: () => StoreUnderTest, engine: Engine): void => {
  describe('the number of sessions', () => {
    let fixture: StoreUnderTest
    let store: EventStore
    beforeAll(async () => {
      fixture = create()
      store = await fixture.open()
      const events = EVENTS.map(([session, event, minutes, properties, distinctId], index) =>
        storedEvent(index + 1, {
          event,
          distinctId,
          timestamp: NOW - minutes * MINUTE_MS,
          properties: session === null ? properties : { ...properties, $session_id: session },
        }),
      )
      const persons = ['ada', 'bob'].map((name) => ({
        id: derivePersonId(1, name),
        properties: { plan: name === 'ada' ? 'pro' : 'free' },
        createdAt: NOW,
        isIdentified: true,
      }))
      const groups = [{ type: 'company', key: 'acme', properties: { seats: 5 }, createdAt: NOW }]
      await store.commit(batchOf(events, { persons: { persons, distinctIds: new Map(), groups } }))
    })
    afterAll(async () => {
      await store.close()
      await fixture.cleanUp()
    })

    const count = async (filters: Json): Promise<unknown> => {
      const sql = writeSessionCount(parseSessionFilter(filters, 'filters', context), 'filters', context, engine)
      const [row] = (await select(store, sql)) as readonly (readonly unknown[])[]
      return row![0]
    }

    it.each<[string, JsonObject, number]>([
      ['counts all sessions without filters', {}, 3],
      ['ignores an empty group', { filter_group: { type: 'OR', values: [] } }, 3],
      ['needs one event of each kind', groupOf('AND', event('$pageview'), event('paid')), 1],
      ['needs one event of some kind', groupOf('OR', event('paid'), event('Paid')), 2],
      ['tells event names of different case apart', groupOf('AND', event('paid')), 1],
      [
        'needs one event with the name and all properties',
        groupOf('AND', event('$pageview', { key: 'path', value: '/pay' }, { key: '$browser', value: 'Chrome' })),
        1,
      ],
      [
        'matches each property filter with any event',
        groupOf('AND', { key: 'path', value: '/' }, { key: 'path', value: '/pay' }),
        1,
      ],
      [
        'matches all events with the id null',
        groupOf('AND', event(null, { key: 'amount', operator: 'gt', value: 5 })),
        1,
      ],
      ['reads persons', groupOf('AND', { key: 'plan', type: 'person', value: 'pro' }), 2],
      [
        'reads groups',
        groupOf('AND', { key: 'seats', type: 'group', group_type_index: 0, operator: 'gte', value: 5 }),
        1,
      ],
      [
        'combines events, persons and groups',
        groupOf('OR', event('paid'), { key: 'plan', type: 'person', value: 'free' }),
        2,
      ],
      ['starts with date_from', { date_from: '-1d' }, 2],
      ['ends with date_to', { date_to: '2026-01-13' }, 1],
      ['reads only events in the range', { date_from: '-40M', ...groupOf('AND', event('paid')) }, 0],
      ['compares the time between the first and the last event', duration('gt', 600), 1],
      ['compares the time exactly', duration('exact', 600), 1],
      [
        'measures the whole session, whichever events match',
        { ...groupOf('AND', event('paid')), ...duration('gte', 600) },
        1,
      ],
      [
        'reads the older form with lists',
        { events: [event('$pageview')], properties: [{ key: '$browser', value: 'Chrome' }] },
        2,
      ],
      ['ignores the order', { order: 'start_time', order_direction: 'DESC', filter_test_accounts: true }, 3],
    ])('%s', async (_, filters, expected) => {
      expect(await count(filters)).toBe(expected)
    })

    it.each<[string, Json]>([
      ['filters must be an object', []],
      ['filters.date_from must be an ISO 8601 date', { date_from: 'soon' }],
      ['filters.filter_group must be an object', { filter_group: [] }],
      ['filters.filter_group.values must be an array', { filter_group: { type: 'AND' } }],
      ['filters.filter_group.type must be "AND" or "OR"', { filter_group: { type: 'NOT', values: [] } }],
      ['filters.filter_group.values[0].values[1].id must be the name', groupOf('AND', {}, event(''))],
      ['filters.filter_group.values[0].values[0].properties[0].key must', groupOf('AND', event('a', { value: 1 }))],
      ['filters.duration must be an array', { duration: {} }],
      ['filters.duration[0].operator must be one of gt, gte', duration('icontains', 1)],
      ['filters.duration[0].value must be a number of seconds', duration('gt', -1)],
      ['filters.events must be an array', { events: 'paid' }],
    ])('refuses invalid filters: %s', (message, filters) => {
      const parse = () => parseSessionFilter(filters, 'filters', context)
      expect(parse).toThrow(FilterError)
      expect(parse).not.toThrow(UnsupportedFilterError)
      expect(parse).toThrow(message)
    })

    it.each<JsonObject>([
      { duration: [{ type: 'recording', key: 'active_seconds', operator: 'gt', value: 5 }] },
      groupOf('AND', { id: 7, type: 'actions' }),
      groupOf('AND', { key: 'console_log_level', type: 'log_entry', operator: 'exact', value: ['error'] }),
      groupOf('AND', { key: '1 = 1', type: 'hogql' }),
      { properties: [{ key: '$current_url', operator: 'is_cleaned_path_exact', value: '/' }] },
    ])('tells that it cannot apply filters of the protocol: %j', (filters) => {
      expect(() => parseSessionFilter(filters, 'filters', context)).toThrow(UnsupportedFilterError)
    })
  })
}
