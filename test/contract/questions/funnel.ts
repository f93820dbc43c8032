import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import type { Condition } from '../../../src/service/insight/filter/condition.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import { FUNNEL_ORDERS } from '../../../src/service/insight/question/funnel.ts'
import type {
  Attribution,
  FunnelAnswer,
  FunnelNumbers,
  FunnelQuestion,
  FunnelView,
} from '../../../src/service/insight/question/funnel.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { actor, condition, periodsOf, property, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerFunnel } from './reference/funnel.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const named = (name: string): Condition => ({ kind: 'event_name', name })

/** A step is mostly an event by its name, so that many actors reach the next one. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...['a', 'b', 'c'].map(named)) },
  { weight: 1, arbitrary: condition },
)

const orders = fc.constantFrom(...FUNNEL_ORDERS)

export const funnelQuestion = (of: World): fc.Arbitrary<FunnelQuestion> =>
  fc.tuple(periodsOf(of), fc.integer({ min: 1, max: 4 }), orders).chain(([periods, stepCount, order]) => {
    const stepRange = fc
      .tuple(fc.nat({ max: stepCount - 1 }), fc.nat({ max: stepCount - 1 }))
      .filter(([fromStep, toStep]) => fromStep < toStep)
      .map(([fromStep, toStep]) => ({ fromStep, toStep }))
    const steps = fc.constant<FunnelView>({ kind: 'steps' })
    const view = (chosen: fc.Arbitrary<{ readonly fromStep: number; readonly toStep: number }>) =>
      fc.oneof(
        steps,
        fc
          .tuple(chosen, fc.option(fc.integer({ min: 1, max: 5 })))
          .map(([{ fromStep, toStep }, binCount]): FunnelView => ({ kind: 'times', binCount, fromStep, toStep })),
        chosen.map((range): FunnelView => ({ kind: 'rates', periods: { starts: periods.starts }, ...range })),
      )
    const attribution = fc.oneof(
      fc.constantFrom<Attribution>({ of: 'first_touch' }, { of: 'last_touch' }, { of: 'all_events' }),
      fc.nat({ max: stepCount - 1 }).map((index): Attribution => ({ of: 'step', step: index })),
    )
    const laterSteps = Array.from({ length: stepCount - 1 }, (_, index) => index + 1)
    return fc.record({
      events: fc.oneof(fc.constant(combine('all', [])), condition).map((selected) => toSelection(selected, of)),
      actor,
      range: fc.constant(periods.range),
      steps: fc.array(step, { minLength: stepCount, maxLength: stepCount }),
      optionalSteps: order === 'unordered' ? fc.constant([]) : fc.oneof(fc.constant([]), fc.subarray(laterSteps)),
      firstSteps: fc.oneof(
        fc.constant([]),
        fc
          .record({ step: fc.nat({ max: stepCount - 1 }), among: condition })
          .map(({ step: index, among }) => [{ step: index, among: toSelection(among, of).condition }]),
      ),
      order: fc.constant(order),
      windowMs: fc.constantFrom(0, HOUR_MS, DAY_MS, 14 * DAY_MS, 90 * DAY_MS),
      exclusions:
        stepCount === 1
          ? fc.constant([])
          : fc.array(
              fc
                .tuple(step, stepRange)
                .map(([excluded, { fromStep, toStep }]) => ({ condition: excluded, fromStep, toStep })),
              { maxLength: 2 },
            ),
      breakdown: fc.option(
        fc.record({
          properties: fc.array(property, { minLength: 1, maxLength: 2 }),
          limit: fc.integer({ min: 1, max: 4 }),
          attribution,
        }),
      ),
      view: stepCount === 1 ? steps : view(stepRange),
    })
  })

const round = (value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toPrecision(10))
  return Array.isArray(value)
    ? value.map(round)
    : value instanceof Object
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, round(each)]))
      : value
}

/** Tests that every event store must pass. */
export const funnelContract = (create: () => StoreUnderTest): void => {
  describe('a funnel', () => {
    const getStore = openForSuite(create)
    const ask = (asked: FunnelQuestion): Promise<FunnelAnswer> => getStore().funnel({ ...asked, timeoutMs: 10_000 })

    const start = Date.UTC(2020, 0, 1)
    const asked: FunnelQuestion = {
      events: { condition: combine('all', []), matching: { rules: {}, now: start }, path: 'query' },
      actor: { of: 'person' },
      range: { from: start, before: start + 3 * DAY_MS },
      steps: [named('look'), named('cart'), named('buy')],
      optionalSteps: [],
      firstSteps: [],
      order: 'ordered',
      windowMs: 14 * DAY_MS,
      exclusions: [],
      breakdown: null,
      view: { kind: 'steps' },
    }
    const numbersOf = async (fields: Partial<FunnelQuestion> = {}): Promise<readonly FunnelNumbers[]> =>
      (await ask({ ...asked, ...fields })).groups.map(({ numbers }) => numbers)
    const countsOf = async (fields: Partial<FunnelQuestion> = {}): Promise<unknown> =>
      (await ask({ ...asked, ...fields })).groups.map(({ values, numbers }) => [
        values,
        numbers.kind === 'steps' && numbers.steps.map(({ count }) => count),
      ])

    it('has the numbers that were counted by hand', async () => {
      const event = (distinctId: string, name: string, hours: number, plan: string | null = null) =>
        worldEvent({ event: name, distinctId, timestamp: start + hours * HOUR_MS, properties: { plan } })
      await storeWorld(getStore(), [
        event('ada', 'look', 0, 'pro'),
        event('ada', 'cart', 1, 'free'),
        event('ada', 'buy', 3),
        event('bob', 'look', 0),
        event('bob', 'help', 1, 'pro'),
        event('bob', 'cart', 2),
        event('bob', 'buy', 30),
        event('eve', 'cart', 0, 'free'),
        event('eve', 'look', 1, 'free'),
        event('eve', 'buy', 49, 'free'),
        event('joe', 'look', 25),
        event('old', 'look', -1),
      ])
      expect(await numbersOf()).toEqual([
        {
          kind: 'steps',
          steps: [
            { count: 4, averageSeconds: null, medianSeconds: null },
            { count: 2, averageSeconds: 5400, medianSeconds: 5400 },
            { count: 2, averageSeconds: 15 * 3600, medianSeconds: 15 * 3600 },
          ],
        },
      ])
      expect(await countsOf({ windowMs: DAY_MS })).toEqual([[[], [4, 2, 1]]])
      expect(await countsOf({ order: 'strict' })).toEqual([[[], [4, 1, 1]]])
      expect(await countsOf({ order: 'unordered' })).toEqual([[[], [4, 3, 3]]])
      const exclusion = { condition: named('help'), fromStep: 0, toStep: 1 }
      expect(await countsOf({ exclusions: [exclusion] })).toEqual([[[], [4, 1, 1]]])
      expect(await numbersOf({ view: { kind: 'times', fromStep: 0, toStep: 2, binCount: 3 } })).toEqual([
        {
          kind: 'times',
          averageSeconds: 16.5 * 3600,
          bins: [
            [3 * 3600, 1],
            [12 * 3600, 0],
            [21 * 3600, 1],
          ],
        },
      ])
      const starts = [start, start + DAY_MS, start + 2 * DAY_MS]
      expect(await numbersOf({ view: { kind: 'rates', fromStep: 0, toStep: 2, periods: { starts } } })).toEqual([
        { kind: 'rates', rates: [expect.closeTo(200 / 3), 0, 0] },
      ])
      const plan = { source: { of: 'event' }, name: 'plan' } as const
      const by = (attribution: Attribution, limit = 5) => ({
        breakdown: { properties: [plan], limit, attribution },
        steps: asked.steps.slice(0, 2),
      })
      expect(await countsOf(by({ of: 'first_touch' }))).toEqual([
        [[null], [2, 1]],
        [['free'], [1, 0]],
        [['pro'], [1, 1]],
      ])
      expect(await countsOf(by({ of: 'last_touch' }))).toEqual([
        [['free'], [2, 1]],
        [[null], [2, 1]],
      ])
      expect(await countsOf(by({ of: 'all_events' }))).toEqual([
        [[null], [2, 1]],
        [['free'], [1, 0]],
        [['pro'], [1, 0]],
      ])
      expect(await countsOf(by({ of: 'step', step: 1 }))).toEqual([
        [['free'], [1, 1]],
        [[null], [1, 1]],
      ])
      expect(await countsOf(by({ of: 'first_touch' }, 1))).toEqual([
        [[null], [2, 1]],
        ['others', [2, 1]],
      ])
    })

    it('goes on without optional steps', async () => {
      const day = Date.UTC(2020, 5, 1)
      const event = (distinctId: string, name: string, hours: number, plan: string | null = null) =>
        worldEvent({ event: name, distinctId, timestamp: day + hours * HOUR_MS, properties: { plan } })
      await storeWorld(getStore(), [
        // All three steps.
        event('all', 'look', 0),
        event('all', 'cart', 1, 'pro'),
        event('all', 'buy', 3),
        // Without the optional one.
        event('skips', 'look', 0),
        event('skips', 'buy', 4),
        // The optional one too late, and help before it.
        event('late', 'look', 0),
        event('late', 'buy', 2),
        event('late', 'help', 3),
        event('late', 'cart', 5),
        // The optional step alone, and its order wrong.
        event('stops', 'cart', 0),
        event('stops', 'look', 1),
        event('stops', 'cart', 2, 'free'),
      ])
      const range = { from: day, before: day + DAY_MS }
      const optionalSteps = [1]
      expect(await numbersOf({ range, optionalSteps })).toEqual([
        {
          kind: 'steps',
          steps: [
            { count: 4, averageSeconds: null, medianSeconds: null },
            { count: 2, averageSeconds: 3600, medianSeconds: 3600 },
            // 2, 4 and 2 hours since the step before.
            { count: 3, averageSeconds: 9600, medianSeconds: 7200 },
          ],
        },
      ])
      expect(await countsOf({ range, optionalSteps, order: 'strict' })).toEqual([[[], [4, 2, 3]]])
      expect(await countsOf({ range, optionalSteps, windowMs: 3 * HOUR_MS })).toEqual([[[], [4, 2, 2]]])
      const strictWithHelp = { steps: [named('look'), named('help'), named('cart')], order: 'strict' } as const
      expect(await countsOf({ range, optionalSteps, ...strictWithHelp })).toEqual([[[], [4, 0, 2]]])
      // The last step is optional, too: both orders of "late" are possible, and the one with more steps counts.
      expect(await countsOf({ range, optionalSteps: [1, 2] })).toEqual([[[], [4, 2, 3]]])
      const bought = { steps: [named('look'), named('buy'), named('cart')], optionalSteps: [1] }
      expect(await countsOf({ range, ...bought })).toEqual([[[], [4, 2, 3]]])
      // The help of "late" is after its optional step, and before its last one.
      const exclusion = { condition: named('help'), fromStep: 0, toStep: 2 }
      expect(await countsOf({ range, ...bought, exclusions: [exclusion] })).toEqual([[[], [4, 2, 2]]])
      expect(await countsOf({ range, ...bought, exclusions: [{ ...exclusion, toStep: 1 }] })).toEqual([[[], [4, 2, 3]]])
      const times = { kind: 'times', binCount: 1 } as const
      expect(await numbersOf({ range, optionalSteps, view: { ...times, fromStep: 0, toStep: 2 } })).toEqual([
        { kind: 'times', averageSeconds: 3 * 3600, bins: [[2 * 3600, 3]] },
      ])
      expect(await numbersOf({ range, optionalSteps, view: { ...times, fromStep: 1, toStep: 2 } })).toEqual([
        { kind: 'times', averageSeconds: 2 * 3600, bins: [[2 * 3600, 1]] },
      ])
      const rates = { kind: 'rates', periods: { starts: [day] } } as const
      expect(await numbersOf({ range, optionalSteps, view: { ...rates, fromStep: 0, toStep: 2 } })).toEqual([
        { kind: 'rates', rates: [75] },
      ])
      expect(await numbersOf({ range, optionalSteps, view: { ...rates, fromStep: 1, toStep: 2 } })).toEqual([
        { kind: 'rates', rates: [50] },
      ])
      const plan = { source: { of: 'event' }, name: 'plan' } as const
      const breakdown = { properties: [plan], limit: 5, attribution: { of: 'step', step: 1 } as const }
      // Those without the step are in no group.
      expect(await countsOf({ range, optionalSteps, breakdown })).toEqual([
        [['free'], [1, 1, 0]],
        [['pro'], [1, 1, 1]],
      ])
    })

    it('has the numbers of trying all conversions', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) => fc.tuple(fc.constant(of), fc.array(funnelQuestion(of), { minLength: 8, maxLength: 8 }))),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const each of questions) expect(round(await ask(each))).toEqual(round(answerFunnel(each, of.events)))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 240_000)

    it('begins only with the first event of all times where a step says so', async () => {
      const day = Date.UTC(2020, 7, 1)
      const event = (distinctId: string, name: string, hours: number, plan: string | null = null) =>
        worldEvent({
          event: name,
          distinctId: `first ${distinctId}`,
          timestamp: day + hours * HOUR_MS,
          properties: { plan },
        })
      await storeWorld(getStore(), [
        event('new', 'look', 1, 'pro'),
        event('new', 'cart', 2),
        event('old', 'look', -50, 'free'),
        event('old', 'look', 1, 'pro'),
        event('old', 'cart', 2),
        // The first look is after the cart.
        event('late', 'cart', 0),
        event('late', 'look', 1, 'free'),
        event('late', 'look', 2, 'pro'),
      ])
      const isPro: Condition = {
        kind: 'property',
        path: 'query',
        source: { of: 'event' },
        name: 'plan',
        operator: 'exact',
        value: 'pro',
        isNegated: false,
      }
      const proLook = combine('all', [named('look'), isPro])
      const range = { from: day, before: day + DAY_MS }
      const fields = { range, steps: [proLook, named('cart')] }
      expect(await countsOf(fields)).toEqual([[[], [3, 2]]])
      expect(await countsOf({ ...fields, firstSteps: [{ step: 0, among: named('look') }] })).toEqual([[[], [1, 1]]])
      expect(await countsOf({ ...fields, firstSteps: [{ step: 0, among: proLook }] })).toEqual([[[], [3, 2]]])
      expect(await countsOf({ ...fields, firstSteps: [{ step: 1, among: named('cart') }] })).toEqual([[[], [3, 2]]])
    })

    it('takes the earlier step first where events have the same time', async () => {
      const timestamp = Date.UTC(2021, 0, 1)
      await storeWorld(getStore(), [
        worldEvent({ event: 'cart', timestamp }),
        worldEvent({ event: 'look', timestamp }),
        worldEvent({ event: 'buy', timestamp }),
      ])
      const range = { from: timestamp, before: timestamp + 1 }
      expect(await countsOf({ range })).toEqual([[[], [1, 1, 1]]])
      // The first event is also the last step, which makes its mask the greatest.
      const steps = [named('look'), named('cart'), combine('any', [named('look'), named('buy')])]
      expect(await countsOf({ range, steps })).toEqual([[[], [1, 1, 1]]])
    })

    it('counts the events of a funnel without an order as the steps that serve it best', async () => {
      const timestamp = Date.UTC(2022, 0, 1)
      await storeWorld(getStore(), [
        worldEvent({ event: 'look', timestamp }),
        worldEvent({ event: 'cart', timestamp: timestamp + 1 }),
      ])
      const steps = [combine('any', [named('look'), named('cart')]), named('look')]
      const range = { from: timestamp, before: timestamp + 2 }
      expect(await countsOf({ range, steps, order: 'unordered' })).toEqual([[[], [1, 1]]])
    })

    it('follows each of thousands of persons through the events of all its distinct ids', async () => {
      const from = Date.UTC(2024, 0, 1)
      const steps = ['look', 'cart', 'buy']
      const events = Array.from({ length: 2500 }, (_, person) =>
        steps.slice(0, 1 + (person % 3)).map((event, step) => {
          const distinctId = `${event} of ${person}`
          const personId = derivePersonId(1, `look of ${person}`)
          return worldEvent({ event, distinctId, personId, timestamp: from + step * HOUR_MS })
        }),
      )
      // The distinct ids of a person have numbers that are far from each other.
      await storeWorld(
        getStore(),
        steps.flatMap((_, step) => events.flatMap((each) => each[step] ?? [])),
      )
      const range = { from, before: from + DAY_MS }
      expect(await countsOf({ range })).toEqual([[[], [2500, 1666, 833]]])
    })

    it('has numbers of their own only for the most frequent of very many values', async () => {
      const from = Date.UTC(2023, 0, 1)
      const starts = Array.from({ length: 5000 }, (_, index) => from + index * 60_000)
      await storeWorld(
        getStore(),
        starts.flatMap((timestamp, index) => {
          const properties = { plan: index % 5 === 0 ? 'pro' : `plan ${index}` }
          return [worldEvent({ event: 'look', distinctId: `many ${index}`, timestamp, properties })]
        }),
      )
      const properties = [{ source: { of: 'event' }, name: 'plan' } as const]
      const { groups } = await ask({
        ...asked,
        range: { from, before: from + 5000 * 60_000 },
        view: { kind: 'rates', periods: { starts }, fromStep: 0, toStep: 1 },
        breakdown: { properties, limit: 2, attribution: { of: 'first_touch' } },
      })
      expect(groups.map(({ values }) => values)).toEqual([['pro'], ['plan 1'], 'others'])
    })

    it('is empty for a store without events', async () => {
      const range = { from: 0, before: 10 }
      expect(await countsOf({ range })).toEqual([[[], [0, 0, 0]]])
      expect(await numbersOf({ range, view: { kind: 'times', fromStep: 0, toStep: 2, binCount: null } })).toEqual([
        { kind: 'times', averageSeconds: null, bins: [] },
      ])
      const properties = [{ source: { of: 'event' }, name: 'plan' } as const]
      const breakdown = { properties, limit: 3, attribution: { of: 'first_touch' } } as const
      expect(await countsOf({ range, breakdown })).toEqual([])
    })

    it('stops when its time is over, or when it is cancelled', async () => {
      await storeWorld(getStore(), [worldEvent({ event: 'look', timestamp: start })])
      await expect(getStore().funnel({ ...asked, timeoutMs: 0.001 })).rejects.toMatchObject({ code: 'timeout' })
      const signal = AbortSignal.abort()
      await expect(getStore().funnel({ ...asked, timeoutMs: 10_000 }, { signal })).rejects.toMatchObject({
        code: 'cancelled',
      })
    })

    it('stops while it follows many events again for each of many periods', async () => {
      const count = 16_000
      const minutes = Array.from({ length: count }, (_, index) => start + index * 60_000)
      const distinctId = 'busy'
      await storeWorld(
        getStore(),
        minutes.map((timestamp) => worldEvent({ event: 'look', distinctId, timestamp })),
      )
      const many: FunnelQuestion = {
        ...asked,
        range: { from: start, before: start + count * 60_000 },
        events: { ...asked.events, condition: named('look') },
        view: { kind: 'rates', periods: { starts: minutes }, fromStep: 0, toStep: 2 },
      }
      await expect(getStore().funnel({ ...many, timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' })
      const signal = AbortSignal.timeout(100)
      await expect(getStore().funnel({ ...many, timeoutMs: 60_000 }, { signal })).rejects.toMatchObject({
        code: 'cancelled',
      })
    })

    it('refuses more steps than fit in a long range', async () => {
      const steps = Array.from({ length: 14 }, () => named('look'))
      const refused = ask({ ...asked, steps, range: { from: 0, before: Date.UTC(2030, 0, 1) } })
      await expect(refused).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('fewer steps') })
    })
  })
}
