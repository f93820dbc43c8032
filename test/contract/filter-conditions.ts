import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from './property-runs.ts'
import { operatorTable } from '../../src/evaluate/operators/operator-table.ts'
import type { FilterContext } from '../../src/service/insight/filter/filter-context.ts'
import { FilterError, UnsupportedFilterError } from '../../src/service/insight/filter/filter-error.ts'
import { parseFilters } from '../../src/service/insight/filter/parse-filters.ts'
import type { ConditionDialect } from '../../src/service/insight/filter/sql/condition-dialect.ts'
import { createConditionWriter } from '../../src/service/insight/filter/sql/condition-writer.ts'
import { derivePersonId } from '../../src/service/persons/person-id.ts'
import type { CohortDefinition } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { openForSuite } from './questions/open-for-suite.ts'
import { batchOf, select, storedEvent } from './service-event-store.ts'
import type { StoreUnderTest } from './service-event-store.ts'
import { filterContext } from '../service/insight/filter-context.ts'
import { cohort, filter, properties } from '../service/insight/filter/arbitrary.ts'
import { matchesEvent } from '../service/insight/filter/reference.ts'
import type { TestEvent } from '../service/insight/filter/reference.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const CONTEXT = filterContext({ groupTypes: { '0': 'company' }, now: NOW })
const COHORT_COUNT = 3

let eventCount = 0

type EventFields = Partial<Pick<TestEvent, 'event' | 'timestamp' | 'properties' | 'person'>> & {
  /** Properties of the group `company` of the event; undefined without a group, null for one that was never described. */
  readonly company?: JsonObject | null
}

/** Creates an event of a person and a group that no other event has. */
const createEvent = ({ company, ...fields }: EventFields): TestEvent => {
  const number = ++eventCount
  const distinctId = `person ${number}`
  const groupKey = `company ${number}`
  return {
    uuid: storedEvent(number).uuid,
    event: 'a',
    distinctId,
    personId: derivePersonId(1, distinctId),
    timestamp: NOW,
    properties: {},
    person: undefined,
    groups: company === undefined ? {} : { company: groupKey },
    groupProperties: company ? { company } : {},
    ...fields,
  }
}

const nullable = fc.option(properties, { nil: undefined })

const testEvents = fc.array(
  fc.record({
    event: fc.constantFrom('a', 'Pro', "it's"),
    timestamp: fc.constantFrom(NOW, NOW - 1, Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 2, 3, 4, 5)),
    properties,
    person: nullable,
    company: fc.option(properties, { nil: undefined }),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Tests that conditions in the SQL of an engine must pass. `dialect`: of the engine of the store. */
export const filterConditionsContract = (create: () => StoreUnderTest, dialect: ConditionDialect): void => {
  describe('createConditionWriter', () => {
    const getStore = openForSuite(create)

    const store = (events: readonly TestEvent[]): Promise<void> => {
      const storedEvents = events.map(({ uuid, event, distinctId, timestamp, properties, groups }) => {
        const values = groups['company'] === undefined ? properties : { ...properties, $groups: groups }
        return storedEvent(0, { uuid, event, distinctId, timestamp, properties: values })
      })
      const persons = events.flatMap(({ personId, person }) =>
        person ? [{ id: personId, properties: person, createdAt: NOW, isIdentified: true }] : [],
      )
      const groups = events.flatMap(({ groups: { company: key = '' }, groupProperties: { company } }) =>
        company ? [{ type: 'company', key, properties: company, createdAt: NOW }] : [],
      )
      const distinctIds = new Map(events.map((event) => [event.distinctId, event.personId]))
      return getStore().commit(batchOf(storedEvents, { persons: { persons, distinctIds, groups } }))
    }

    /** The uuids of the events that match each filter, as the store finds them. */
    const findMatches = async (
      events: readonly TestEvent[],
      filters: readonly Json[],
      context: FilterContext,
    ): Promise<readonly ReadonlySet<string>[]> => {
      const uuids = events.map(({ uuid }) => `'${uuid}'`).join(', ')
      const matches: ReadonlySet<string>[] = []
      for (const input of filters) {
        const { write, toQuery } = createConditionWriter({ ...context, path: 'filter', events: 'e', dialect })
        const condition = write(parseFilters(input, 'filter', context))
        const sql = toQuery(`SELECT uuid FROM events AS e WHERE uuid IN (${uuids}) AND ${condition}`)
        const found = (await select(getStore(), sql, 10_000)) as readonly (readonly [string])[]
        matches.push(new Set(found.map(([uuid]) => uuid)))
      }
      return matches
    }

    const expectSameMatches = async (
      events: readonly TestEvent[],
      filters: readonly Json[],
      context: FilterContext = CONTEXT,
    ): Promise<void> => {
      await store(events)
      const matches = await findMatches(events, filters, context)
      for (const [index, input] of filters.entries())
        for (const event of events) {
          const expected = matchesEvent(input, event, context)
          expect({ event, input, isMatch: matches[index]!.has(event.uuid) }).toEqual({
            event,
            input,
            isMatch: expected,
          })
        }
    }

    /** A query on all events that match filters. */
    const writeQuery = (filters: Json, context: FilterContext = CONTEXT): string => {
      const { write, toQuery } = createConditionWriter({ ...context, path: 'filters', dialect })
      return toQuery(`SELECT uuid FROM events WHERE ${write(parseFilters(filters, 'properties', context))}`)
    }

    const parsesWith =
      (context: FilterContext) =>
      (input: Json): boolean => {
        try {
          writeQuery(input, context)
          return true
        } catch (error) {
          if (error instanceof FilterError) return false
          throw error
        }
      }

    it('has every operator of flag filters', () => {
      expect([...dialect.operators.keys(), 'is_set', 'is_not_set'].toSorted()).toEqual(
        [...operatorTable.keys()].toSorted(),
      )
    })

    it('matches the events that evaluate/ matches, for random events and filters', async () => {
      await fc.assert(
        fc.asyncProperty(
          testEvents,
          fc.array(filter(COHORT_COUNT), { minLength: 5, maxLength: 20 }),
          fc.tuple(...Array.from({ length: COHORT_COUNT }, (_, id) => cohort(id))),
          fc.constantFrom({}, { propertyMatchingVersion: 2 }),
          async (fields, filters, cohorts, rules) => {
            const context = {
              ...CONTEXT,
              rules,
              cohorts: Object.fromEntries(
                cohorts.map((definition, id) => [id, definition as unknown as CohortDefinition]),
              ),
            }
            await expectSameMatches(fields.map(createEvent), filters.filter(parsesWith(context)), context)
          },
        ),
        { numRuns: runsOf(25) },
      )
    })

    it.each([
      `'`,
      `''`,
      `\\'`,
      `"`,
      `$."x"`,
      `*`,
      `'; DROP TABLE persons; --`,
      `') OR TRUE --`,
      `\0`,
      `a\0' OR TRUE --`,
      `\u2028`,
      `$1`,
      `/*`,
      `\ud800`,
      `{{x}}`,
      `' || version() || '`,
    ])('treats %j as nothing but a name or a value', async (hostile) => {
      const wellFormed = hostile.replace(/\p{Surrogate}/gu, '\uFFFD')
      const named = createEvent({ properties: { [wellFormed]: 'x' }, person: { [wellFormed]: 'x' }, company: {} })
      const valued = createEvent({
        properties: { plan: wellFormed },
        person: { plan: wellFormed },
        company: { plan: wellFormed },
      })
      const other = createEvent({ properties: { plan: 'x' }, person: { plan: 'x' }, company: { plan: 'x' } })
      const events = [named, valued, other]
      await store(events)
      const types: readonly JsonObject[] = [{}, { type: 'person' }, { type: 'group', group_type_index: 0 }]
      const filtersWith = (fields: JsonObject): readonly JsonObject[] =>
        types.map((type) => Object.assign({}, fields, type))
      const byValue = filtersWith({ key: 'plan', value: hostile })
      const bySubstring = filtersWith({ key: 'plan', value: hostile, operator: 'icontains' })
      const inLists = filtersWith({ key: 'plan', value: [hostile, 'y'] })
      const byName = filtersWith({ key: hostile, value: 'x' }).slice(0, 2)
      const matches = await findMatches(events, [...byValue, ...bySubstring, ...inLists, ...byName], CONTEXT)
      const expected = [...Array.from({ length: 9 }, () => valued), ...byName.map(() => named)]
      expect(matches.map((uuids) => Array.from(uuids))).toEqual(expected.map(({ uuid }) => [uuid]))
      // The group type comes from the project's settings, which are user input, too.
      const context = { ...CONTEXT, groupTypes: { '0': hostile } }
      const [byGroup] = await findMatches(
        events,
        [{ key: 'plan', value: 'x', type: 'group', group_type_index: 0 }],
        context,
      )
      expect([...byGroup!]).toEqual([])
    })

    it('reads the properties of the person that an event belongs to after a merge', async () => {
      const first = createEvent({ person: { plan: 'pro' } })
      const second = { ...createEvent({}), personId: first.personId, person: first.person }
      await expectSameMatches([first, second], [{ key: 'plan', value: 'pro', type: 'person' }])
    })

    it('matches an event without a group with no condition on that group', async () => {
      const [without, undescribed, described] = [{}, { company: null }, { company: { plan: 'pro' } }].map(createEvent)
      const events = [without!, undescribed!, described!]
      await store(events)
      const filters = ['is_set', 'is_not_set', 'is_not', 'not_icontains'].map((operator) => ({
        type: 'group',
        group_type_index: 0,
        key: 'plan',
        operator,
        value: 'x',
      }))
      const [isSet, ...negative] = await findMatches(events, filters, CONTEXT)
      expect([...isSet!]).toEqual([described!.uuid])
      for (const [index, matches] of negative.entries())
        expect([...matches].toSorted()).toEqual(
          [undescribed!, ...(index === 0 ? [] : [described!])].map(({ uuid }) => uuid),
        )
    })

    it('matches a string that is too long for a pattern with no condition, negated or not', async () => {
      const long = createEvent({ properties: { plan: 'é'.repeat(4_097) }, person: { plan: '😀'.repeat(2_049) } })
      const short = createEvent({ properties: { plan: 'é'.repeat(4_096) }, person: { plan: '😀'.repeat(2_048) } })
      await expectSameMatches(
        [long, short],
        ['event', 'person'].flatMap((type) =>
          ['regex', 'not_regex'].flatMap((operator) => [
            { key: 'plan', type, operator, value: '^[é😀]+$' },
            { key: 'plan', type, operator, value: 'x' },
          ]),
        ),
      )
    })

    it('finds word boundaries in words of every script', async () => {
      const strings = [
        'pro',
        'a pro b',
        'prod',
        '',
        'é pro',
        'éproé',
        'про pro',
        'a_б',
        '__',
        '½ pro',
        '日本 語',
        'x😀pro',
        'é',
      ]
      const patterns = [
        '\\bpro\\b',
        '\\Bo',
        '\\b.\\b',
        '^\\b',
        '\\B$',
        '\\b_',
        '[^_]\\b_',
        '\\D\\b\\W',
        '(?:\\b\\w+\\b ?){2}',
        '\\Bé|\\bé',
      ]
      await expectSameMatches(
        strings.map((plan) => createEvent({ properties: { plan } })),
        patterns.flatMap((value) => ['regex', 'not_regex'].map((operator) => ({ key: 'plan', operator, value }))),
      )
    })

    it('counts relative dates from now, and compares the timestamp of events', async () => {
      const events = [NOW - 2 * 86_400_000, NOW - 86_400_000, NOW].map((timestamp) =>
        createEvent({ timestamp, properties: { at: new Date(timestamp).toISOString(), ms: timestamp } }),
      )
      const filters = ['is_date_before', 'is_date_after', 'is_date_exact'].flatMap((operator) => [
        { type: 'event_metadata', key: 'timestamp', operator, value: '-1d' },
        { type: 'event', key: 'at', operator, value: '-1d' },
        { type: 'event', key: 'ms', operator, value: '-1d' },
      ])
      await expectSameMatches(events, filters)
    })

    it.each([
      ['(?:(?:x{40}){30}){1}', 'repeats something more than 1000 times'],
      ['[^\\Wa]', 'uses \\W in a negated class with other characters'],
    ])('refuses the pattern %s, which the store cannot search for', (value, reason) => {
      expect(() => writeQuery([{ key: 'plan', operator: 'regex', value }])).toThrow(
        new UnsupportedFilterError('properties[0].value', `cannot be used: the pattern ${reason}`),
      )
    })

    it('reads each person once for all conditions on persons', () => {
      const filters = [
        { key: 'a', value: 1, type: 'person' },
        { key: 'b', value: 1, type: 'event' },
        { key: 'c', value: 1, type: 'person' },
      ]
      expect(writeQuery(filters).match(/FROM persons/g)).toHaveLength(1)
    })

    describe('of cohorts that name others', () => {
      const member = (value: number, operator = 'in'): JsonObject => ({ key: 'id', type: 'cohort', value, operator })
      /** Cohorts of which each names the one before twice. */
      const doubled = (count: number, first: JsonObject): FilterContext => {
        const twice = (id: number) => [member(id), { type: 'OR', values: [member(id), member(id, 'not_in')] }]
        const cohorts = Array.from({ length: count }, (_, id) => [
          id,
          { type: 'AND', values: id === 0 ? [first] : twice(id - 1) },
        ])
        return { ...CONTEXT, cohorts: Object.fromEntries(cohorts) as Record<string, CohortDefinition> }
      }

      it('writes each of them once', async () => {
        const count = dialect.maxCohortReads === Infinity ? 25 : 3
        const context = doubled(count, { key: 'plan', value: 'pro' })
        const [pro, free, unknown] = [{ plan: 'pro' }, { plan: 'free' }, undefined].map((person) =>
          createEvent({ person }),
        )
        await store([pro!, free!, unknown!])
        const [inside, outside, both] = await findMatches(
          [pro!, free!, unknown!],
          [
            member(count - 1),
            member(count - 1, 'not_in'),
            [member(count - 1), { type: 'OR', values: [member(count - 1), member(count - 1, 'not_in')] }],
          ],
          context,
        )
        expect([...inside!]).toEqual([pro!.uuid])
        expect([...outside!].toSorted()).toEqual([free!.uuid, unknown!.uuid].toSorted())
        expect([...both!]).toEqual([pro!.uuid])
        expect(writeQuery(member(count - 1), context).match(/FROM persons/g)!.length).toBeLessThanOrEqual(50)
      })

      it.runIf(dialect.maxCohortReads < Infinity)('refuses those that would be read too often', () => {
        expect(() => writeQuery(member(24), doubled(25, { key: 'plan', value: 'pro' }))).toThrow(
          new FilterError(
            'filters',
            `must name fewer cohorts that name others: ${dialect.maxCohortReads} may be read in all`,
          ),
        )
      })

      it('refuses those that depend on the event and become too many conditions', () => {
        expect(() => writeQuery(member(24), doubled(25, { key: 'distinct_id', value: 'x' }))).toThrow(
          new FilterError('filters', 'must have at most 1000 conditions, with those of all cohorts'),
        )
      })

      it('refuses those that become too much SQL', () => {
        const context = doubled(2, { key: 'plan', value: 'x'.repeat(dialect.maxSqlBytes + 500) })
        expect(() => writeQuery(member(1), context)).toThrow(
          new FilterError(
            'filters',
            `must be shorter: with all cohorts they are more than ${dialect.maxSqlBytes} bytes of SQL`,
          ),
        )
      })
    })

    it('writes nothing that is too long for the store', async () => {
      const filtersOf = (length: number): Json => [{ key: 'plan', value: 'x'.repeat(length) }]
      const rest = writeQuery(filtersOf(1000)).length - 1000
      const longest = writeQuery(filtersOf(dialect.maxSqlBytes - rest))
      expect(await select(getStore(), longest)).toEqual([])
      expect(() => writeQuery(filtersOf(dialect.maxSqlBytes + 1 - rest))).toThrow('must be shorter')
    })
  })
}
