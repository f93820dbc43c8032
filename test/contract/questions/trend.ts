import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import { AGGREGATES } from '../../../src/service/insight/question/trend.ts'
import type {
  Breakdown,
  GroupValues,
  Measure,
  TrendAnswer,
  TrendBreakdown,
  TrendGroupsQuestion,
  TrendQuestion,
} from '../../../src/service/insight/question/trend.ts'
import { createPeriods } from '../../../src/service/insight/time/periods.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { actor, condition, periodsOf, property, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerTrend, answerTrendGroups } from './reference/trend.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const DAY_MS = 86_400_000

const measureOf = ({ periods, isTotal }: Pick<TrendQuestion, 'periods' | 'isTotal'>): fc.Arbitrary<Measure> => {
  const aggregate = fc.constantFrom(...AGGREGATES)
  const ends = periods.starts.map((_, index) =>
    Math.min(periods.starts[index + 1] ?? periods.end, periods.range.before),
  )
  return fc.oneof(
    fc.constant<Measure>({ kind: 'count' }),
    fc.record({ kind: fc.constant('unique' as const), actor, isCumulative: fc.boolean() }),
    fc.record({
      kind: fc.constant('active' as const),
      actor,
      since: fc
        .constantFrom(1, 2, 7)
        .map((days) => (isTotal ? [periods.range.before - days * DAY_MS] : ends.map((end) => end - days * DAY_MS))),
    }),
    fc.record({ kind: fc.constant('first_time' as const), actor, among: condition }),
    fc.record({ kind: fc.constant('property' as const), property, aggregate }),
    fc.record({ kind: fc.constant('events_per_actor' as const), actor, aggregate }),
  )
}

const question = (of: World): fc.Arbitrary<TrendQuestion> =>
  fc
    .record({
      periods: periodsOf(of),
      isTotal: fc.boolean(),
      selected: condition,
      breakdown: fc.option(
        fc.record({
          properties: fc.array(property, { minLength: 1, maxLength: 2 }),
          limit: fc.integer({ min: 1, max: 4 }),
        }),
      ),
      more: fc.array(fc.constantFrom('pro', 'free', null, 'no such value'), { maxLength: 1 }),
    })
    .chain(({ selected, ...fields }) =>
      fc.record({
        periods: fc.constant(fields.periods),
        isTotal: fc.constant(fields.isTotal),
        breakdown: fc.constant(fields.breakdown && toBreakdown(fields.breakdown, fields.more, of)),
        measure: measureOf(fields).map((measure) => onlyIn(measure, of)),
        events: fc.constant(toSelection(selected, of)),
      }),
    )

/** The groups with the most of all events of a world, and perhaps one that none of them may be in. */
const toBreakdown = ({ properties, limit }: Breakdown, more: readonly (string | null)[], of: World): TrendBreakdown => {
  const range = { from: 0, before: Infinity }
  const all = { events: toSelection(combine('all', []), of), isTotal: true, periods: { range, starts: [0], end: 1 } }
  const trends = [{ ...all, measure: { kind: 'count' as const } }]
  const { groups } = answerTrendGroups({ trends, breakdown: { properties, limit } }, of.events)
  const added = more.map((value) => properties.map(() => value))
  const isNew = (values: GroupValues): boolean => !groups.some((group) => isDeepStrictEqual(group, values))
  return { properties, groups: [...groups, ...added.filter(isNew)] }
}

/** Without the events of other worlds, which the first event of all times may be among. */
const onlyIn = (measure: Measure, of: World): Measure =>
  measure.kind === 'first_time' ? { ...measure, among: toSelection(measure.among, of).condition } : measure

const rounded = ({ groups }: TrendAnswer): unknown =>
  groups.map(({ values, numbers }) => ({ values, numbers: numbers.map((number) => Number(number.toPrecision(10))) }))

/** Tests that every event store must pass. */
export const trendContract = (create: () => StoreUnderTest): void => {
  describe('a trend', () => {
    const getStore = openForSuite(create)
    const ask = (asked: TrendQuestion): Promise<TrendAnswer> => getStore().trend({ ...asked, timeoutMs: 10_000 })

    it('adds up fractions as decimals', async () => {
      const day = Date.UTC(2020, 0, 1)
      // More than one vector of rows, with refunds.
      const cents = Array.from({ length: 5_000 }, (_, n) => ((n * 7_919) % 200_003) - (n % 3 === 0 ? 90_000 : 0))
      const events = cents.map((amount, n) =>
        worldEvent({ event: 'pay', distinctId: 'ada', timestamp: day + n, properties: { amount: amount / 100 } }),
      )
      const back = [10, 20, -30].map((amount) =>
        worldEvent({ event: 'back', distinctId: 'ada', timestamp: day, properties: { amount: amount / 100 } }),
      )
      await storeWorld(getStore(), [...events, ...back])
      const periods = { range: { from: day, before: day + DAY_MS }, starts: [day], end: day + DAY_MS }
      const amount = { source: { of: 'event' }, name: 'amount' } as const
      const numberOf = async (name: string, aggregate: 'sum' | 'average'): Promise<number> => {
        const selected = {
          condition: { kind: 'event_name', name },
          matching: { rules: {}, now: day },
          path: 'query',
        } as const
        const measure = { kind: 'property', property: amount, aggregate } as const
        const { groups } = await ask({ events: selected, periods, isTotal: true, breakdown: null, measure })
        return groups[0]!.numbers[0]!
      }
      const total = cents.reduce((sum, each) => sum + each, 0)
      expect(await numberOf('pay', 'sum')).toBe(total / 100)
      expect(await numberOf('pay', 'average')).toBeCloseTo(total / 100 / cents.length, 10)
      expect(await numberOf('back', 'sum')).toBe(0)
      expect(await numberOf('back', 'average')).toBe(0)
    })

    it('has the numbers that were counted by hand', async () => {
      const day = Date.UTC(2020, 0, 1)
      const buy = (distinctId: string, days: number, plan: string | null, amount: number) =>
        worldEvent({ event: 'buy', distinctId, timestamp: day + days * DAY_MS, properties: { plan, amount } })
      await storeWorld(getStore(), [
        buy('ada', 0, 'pro', 10),
        buy('ada', 0, 'pro', 20),
        buy('bob', 0, 'free', 1),
        buy('bob', 2, null, 2),
        worldEvent({ event: 'look', distinctId: 'eve', timestamp: day }),
      ])
      const periods = {
        range: { from: day, before: day + 3 * DAY_MS },
        starts: [day, day + DAY_MS, day + 2 * DAY_MS],
        end: day + 3 * DAY_MS,
      }
      const events = {
        condition: { kind: 'event_name', name: 'buy' },
        matching: { rules: {}, now: day },
        path: 'query',
      } as const
      const asked = { events, periods, isTotal: false, breakdown: null }
      const plan = { source: { of: 'event' }, name: 'plan' } as const
      const amount = { source: { of: 'event' }, name: 'amount' } as const
      const person = { of: 'person' } as const
      const numbersOf = async (measure: Measure, fields: Partial<TrendQuestion> = {}): Promise<unknown> =>
        (await ask({ ...asked, measure, ...fields })).groups.map(({ values, numbers }) => [values, numbers])
      expect(await numbersOf({ kind: 'count' })).toEqual([[[], [3, 0, 1]]])
      expect(await numbersOf({ kind: 'count' }, { isTotal: true })).toEqual([[[], [4]]])
      expect(await numbersOf({ kind: 'unique', actor: person, isCumulative: false })).toEqual([[[], [2, 0, 1]]])
      expect(await numbersOf({ kind: 'unique', actor: person, isCumulative: true })).toEqual([[[], [2, 0, 0]]])
      expect(await numbersOf({ kind: 'first_time', actor: person, among: events.condition })).toEqual([[[], [2, 0, 0]]])
      expect(await numbersOf({ kind: 'property', property: amount, aggregate: 'sum' })).toEqual([[[], [31, 0, 2]]])
      expect(await numbersOf({ kind: 'property', property: amount, aggregate: 'p75' })).toEqual([[[], [15, 0, 2]]])
      expect(await numbersOf({ kind: 'events_per_actor', actor: person, aggregate: 'average' })).toEqual([
        [[], [1.5, 0, 1]],
      ])
      const since = periods.starts.map((start) => start - DAY_MS)
      expect(await numbersOf({ kind: 'active', actor: person, since })).toEqual([[[], [2, 2, 1]]])
      const by = (...groups: readonly GroupValues[]) => ({ breakdown: { properties: [plan], groups } })
      expect(await numbersOf({ kind: 'count' }, by([null], ['pro'], ['none'], ['free']))).toEqual([
        [[null], [0, 0, 1]],
        [['pro'], [2, 0, 0]],
        [['free'], [1, 0, 0]],
      ])
      expect(await numbersOf({ kind: 'count' }, by(['pro']))).toEqual([
        [['pro'], [2, 0, 0]],
        ['others', [1, 0, 1]],
      ])
      const bins = { ...amount, rule: { kind: 'bin', bounds: [1, 2, 10, 20] } } as const
      const byBin = {
        breakdown: { properties: [bins], groups: [['[1,2]'], ['[2,10]'], ['[10,20]'], [null]] },
        isTotal: true,
      }
      expect(await numbersOf({ kind: 'count' }, byBin)).toEqual([
        [['[1,2]'], [1]],
        [['[2,10]'], [1]],
        // The greatest number is in the last bin.
        [['[10,20]'], [2]],
      ])
      const count = { events, periods, isTotal: false, measure: { kind: 'count' } } as const
      const look = { ...count, events: { ...events, condition: { kind: 'event_name', name: 'look' } } } as const
      const groupsOf = async (trends: TrendGroupsQuestion['trends'], limit: number): Promise<unknown> =>
        (await getStore().trendGroups({ trends, breakdown: { properties: [plan], limit }, timeoutMs: 10_000 })).groups
      expect(await groupsOf([count], 5)).toEqual([['pro'], ['free'], [null]])
      expect(await groupsOf([count], 1)).toEqual([['pro']])
      expect(await groupsOf([look, count], 5)).toEqual([['pro'], [null], ['free']])
    })

    it.each([255, 256, 257])('counts in each of %i periods', async (count) => {
      const start = Date.UTC(2018, 0, 1)
      const starts = Array.from({ length: count }, (_, index) => start + index * DAY_MS)
      const end = start + count * DAY_MS
      const name = `one of ${count}`
      await storeWorld(
        getStore(),
        starts.map((timestamp) => worldEvent({ event: name, distinctId: 'ada', timestamp })),
      )
      const answer = await ask({
        events: { condition: { kind: 'event_name', name }, matching: { rules: {}, now: start }, path: 'query' },
        measure: { kind: 'count' },
        periods: { range: { from: start, before: end }, starts, end },
        isTotal: false,
        breakdown: null,
      })
      expect(answer.groups).toEqual([{ values: [], numbers: starts.map(() => 1) }])
    })

    it('has the numbers of counting one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) => fc.tuple(fc.constant(of), fc.array(question(of), { minLength: 8, maxLength: 8 }))),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const asked of questions)
              expect(rounded(await ask(asked))).toEqual(rounded(answerTrend(asked, of.events)))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 240_000)

    it('chooses the groups of counting one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) =>
            fc.tuple(
              fc.constant(of),
              fc.array(question(of), { minLength: 1, maxLength: 3 }),
              fc.array(property, { minLength: 1, maxLength: 2 }),
              fc.integer({ min: 1, max: 4 }),
            ),
          ),
          async ([of, trends, properties, limit]) => {
            await storeWorld(getStore(), of.events)
            const asked = { trends, breakdown: { properties, limit } }
            expect(await getStore().trendGroups({ ...asked, timeoutMs: 10_000 })).toEqual(
              answerTrendGroups(asked, of.events),
            )
          },
        ),
        { numRuns: runsOf(15) },
      )
    }, 240_000)

    it('counts a person with several distinct ids once', async () => {
      const day = Date.UTC(2020, 6, 1)
      const personId = derivePersonId(1, 'ada in july')
      const visit = (distinctId: string, fields: { readonly personId?: string } = {}) =>
        worldEvent({ event: 'visit', distinctId, timestamp: day, ...fields })
      await storeWorld(getStore(), [
        visit('bob in july'),
        visit('ada in july', { personId }),
        visit('ada at home', { personId }),
        visit('ada at home', { personId }),
      ])
      const actor = { of: 'person' } as const
      const asked = {
        events: { condition: { kind: 'event_name', name: 'visit' }, matching: { rules: {}, now: day }, path: 'query' },
        periods: { range: { from: day, before: day + DAY_MS }, starts: [day], end: day + DAY_MS },
        isTotal: false,
        breakdown: null,
      } as const
      const numbersOf = async (measure: Measure): Promise<unknown> =>
        (await ask({ ...asked, measure })).groups.map(({ numbers }) => numbers)
      expect(await numbersOf({ kind: 'unique', actor, isCumulative: false })).toEqual([[2]])
      expect(await numbersOf({ kind: 'unique', actor, isCumulative: true })).toEqual([[2]])
      expect(await numbersOf({ kind: 'events_per_actor', actor, aggregate: 'max' })).toEqual([[3]])
    })

    it('takes values of any length, and as many windows as there may be periods', async () => {
      const from = Date.UTC(2021, 0, 1)
      const long = 'x'.repeat(100_000)
      await storeWorld(getStore(), [
        worldEvent({ event: 'long', timestamp: from, properties: { plan: long } }),
        worldEvent({ event: 'long', timestamp: from + 1, properties: { plan: `${long}y` } }),
      ])
      const starts = Array.from({ length: 10_000 }, (_, index) => from + index * 3_600_000)
      const end = from + 10_000 * 3_600_000
      const asked = {
        events: { condition: { kind: 'event_name', name: 'long' }, matching: { rules: {}, now: from }, path: 'query' },
        periods: { range: { from, before: end }, starts, end },
        isTotal: false,
        breakdown: { properties: [{ source: { of: 'event' }, name: 'plan' }], groups: [[long]] },
      } as const
      const { groups } = await ask({ ...asked, measure: { kind: 'count' } })
      expect(groups.map(({ values, numbers }) => [values, numbers[0]])).toEqual([[[long], 1], ['others', 1]]) // prettier-ignore
      const since = starts.map((start) => start - 6 * DAY_MS)
      const active = await ask({
        ...asked,
        breakdown: null,
        measure: { kind: 'active', actor: { of: 'person' }, since },
      })
      expect(active.groups[0]!.numbers.reduce((sum, number) => sum + number)).toBe(6 * 24 + 1)
    })

    it('has months since 1970, most of which have a length of their own', async () => {
      const from = Date.UTC(1970, 0, 1)
      const calendar = { timeZone: 'Europe/Berlin', weekStart: 'monday' } as const
      const periods = createPeriods({ from, before: Date.UTC(2024, 0, 1) }, 'month', calendar, 'interval')
      await storeWorld(getStore(), [worldEvent({ event: 'month', timestamp: Date.UTC(2023, 11, 31, 22) })])
      const events = {
        condition: { kind: 'event_name', name: 'month' },
        matching: { rules: {}, now: from },
        path: 'query',
      } as const
      const { groups } = await ask({ events, periods, isTotal: false, breakdown: null, measure: { kind: 'count' } })
      expect(groups[0]!.numbers.indexOf(1)).toBe(periods.starts.length - 2)
    })

    it('is empty for a store without events', async () => {
      const of = { start: Date.UTC(1900, 0, 1), events: [] }
      const periods = { range: { from: 0, before: 10 }, starts: [0], end: 10 }
      const asked = { events: toSelection(combine('any', []), of), measure: { kind: 'count' }, periods } as const
      expect(await ask({ ...asked, isTotal: false, breakdown: null })).toEqual({
        groups: [{ values: [], numbers: [0] }],
      })
      const breakdown = { properties: [{ source: { of: 'event' }, name: 'plan' } as const], groups: [['pro']] }
      expect(await ask({ ...asked, isTotal: false, breakdown })).toEqual({ groups: [] })
    })
  })
}
