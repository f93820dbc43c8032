import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import type { Condition } from '../../../src/service/insight/filter/condition.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import type {
  ActorsAnswer,
  ActorSelection,
  ActorsQuestion,
  PathsPoint,
} from '../../../src/service/insight/question/actors.ts'
import type { PathsQuestion } from '../../../src/service/insight/question/paths.ts'
import type { FunnelQuestion } from '../../../src/service/insight/question/funnel.ts'
import type { GroupValues } from '../../../src/service/insight/question/trend.ts'
import { LIFECYCLE_STATUSES } from '../../../src/service/insight/question/lifecycle.ts'
import type { Actor } from '../../../src/service/insight/question/subject.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { condition, property, toSelection, world } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { funnelQuestion } from './funnel.ts'
import { lifecycleQuestion } from './lifecycle.ts'
import type { PathsTraits } from './paths.ts'
import { pathsQuestion, withManyPages, world as pathsWorld } from './paths.ts'
import { retentionQuestion } from './retention.ts'
import { stickinessQuestion } from './stickiness.ts'
import { answerActors } from './reference/actors.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

const DAY_MS = 86_400_000

/** Persons of one world alone. */
const isOf = ({ start }: World): Condition => ({
  kind: 'property',
  path: 'query',
  source: { of: 'person' },
  name: 'distinct_id',
  operator: 'icontains',
  value: `${start} `,
  isNegated: false,
})

const hasPlan = (isNegated: boolean): Condition => ({
  kind: 'property',
  path: 'query',
  source: { of: 'person' },
  name: 'plan',
  operator: 'exact',
  value: 'pro',
  isNegated,
})

const personCondition = fc.constantFrom<Condition>(
  combine('all', []),
  combine('all', []),
  hasPlan(false),
  hasPlan(true),
  { kind: 'cohort', condition: hasPlan(true), depth: 1 },
)

const selection = (of: World): fc.Arbitrary<ActorSelection> =>
  fc.oneof(
    fc.constant<ActorSelection>({ kind: 'all', actor: { of: 'person' } }),
    fc.record({
      kind: fc.constant('trend' as const),
      events: condition.map((each) => toSelection(each, of)),
      range: fc.constantFrom(
        { from: of.start, before: of.start + 40 * DAY_MS },
        { from: of.start + 3 * DAY_MS, before: of.start + 20 * DAY_MS },
      ),
      actor: fc.constantFrom({ of: 'person' as const }, { of: 'group' as const, type: 'company' }),
      firstAmong: fc.option(condition.map((each) => toSelection(each, of).condition)),
      group: fc.option(
        fc.record({
          properties: fc.tuple(property),
          values: fc.subarray([['pro'], ['free'], ['a'], ['big'], [null]], { minLength: 1, maxLength: 2 }),
          isAmong: fc.boolean(),
        }),
      ),
    }),
  )

/** Whom actors are counted as; sessions have no properties. */
const isListed = ({ actor }: { readonly actor: Actor }): boolean => actor.of !== 'session'

const values = fc.constantFrom(['pro'], ['free'], ['a'], ['big'], [null])

/** A point of an insight that is not a trend. */
const point = (of: World): fc.Arbitrary<ActorSelection> =>
  fc.oneof(
    stickinessQuestion(of)
      .filter(isListed)
      .chain((asked) =>
        fc.record({
          kind: fc.constant('stickiness' as const),
          question: fc.constant(asked),
          least: fc.integer({ min: 1, max: 2 }),
          most: fc.constantFrom(2, asked.periods.starts.length),
        }),
      ),
    lifecycleQuestion(of)
      .filter((asked) => isListed(asked) && asked.periods.starts.length > 1)
      .chain((asked) =>
        fc.record({
          kind: fc.constant('lifecycle' as const),
          question: fc.constant(asked),
          period: fc.integer({ min: 1, max: asked.periods.starts.length - 1 }),
          status: fc.constantFrom(...LIFECYCLE_STATUSES),
        }),
      ),
    retentionQuestion(of)
      .filter(isListed)
      .chain((asked) =>
        fc.record({
          kind: fc.constant('retention' as const),
          question: fc.constant({ ...asked, breakdown: null }),
          period: fc.nat({ max: asked.periods.starts.length - 1 }),
        }),
      ),
    funnelQuestion(of)
      .filter(isListed)
      .chain((asked) =>
        fc.record({
          kind: fc.constant('funnel' as const),
          question: fc.constant<FunnelQuestion>({ ...asked, view: { kind: 'steps' } }),
          doneStep: fc.nat({ max: asked.steps.length - 1 }),
          missedStep: fc.constantFrom(null, asked.steps.length - 1),
          group:
            asked.breakdown?.properties.length === 1
              ? fc.option(fc.oneof(values, fc.constant('others' as const)))
              : fc.constant(null),
        }),
      ),
  )

const node = fc.option(
  fc.record({
    step: fc.integer({ min: 1, max: 4 }),
    item: fc.constantFrom('/', '/a', '/b', 'a', 'b', 'Home', '/none'),
  }),
)

/** A point of paths. */
const pathsPoint = (of: World): fc.Arbitrary<ActorSelection> =>
  fc.record({
    kind: fc.constant('paths' as const),
    question: pathsQuestion(of).filter(isListed),
    from: node,
    to: node,
    last: node,
  })

const question = (of: World, points: fc.Arbitrary<ActorSelection>): fc.Arbitrary<ActorsQuestion> =>
  fc.record({
    of: points,
    persons: fc.record({
      condition: personCondition.map((each) => combine('all', [isOf(of), each])),
      matching: fc.constant({ rules: {}, now: of.start }),
      path: fc.constant('query'),
    }),
    search: fc.option(fc.constantFrom('1', ' 2', 'ACME', 'e')),
    order: fc.array(
      fc.record({ by: fc.constantFrom('created_at' as const, 'id' as const), isDescending: fc.boolean() }),
      { maxLength: 2 },
    ),
    limit: fc.integer({ min: 1, max: 6 }),
    offset: fc.constantFrom(0, 0, 1, 3),
  })

/** Tests that every event store must pass. */
export const actorsContract = (create: () => StoreUnderTest, { listsItems = true }: PathsTraits = {}): void => {
  describe('actors', () => {
    const getStore = openForSuite(create)
    const ask = (asked: ActorsQuestion): Promise<ActorsAnswer> => getStore().actors({ ...asked, timeoutMs: 10_000 })

    it('are those that were counted by hand', async () => {
      const day = Date.UTC(2020, 0, 1)
      const ada = { properties: { email: 'Ada@x.example' }, createdAt: day }
      const bob = { properties: { name: 'Bob' }, createdAt: day + 1 }
      const buy = (distinctId: string, days: number, person: typeof ada | typeof bob | null, plan: string) =>
        worldEvent({ event: 'buy', distinctId, timestamp: day + days * DAY_MS, person, properties: { plan } })
      const events = [
        buy('ada', 0, ada, 'pro'),
        buy('bob', 0, bob, 'free'),
        buy('bob', 1, bob, 'pro'),
        buy('anonymous', 0, null, 'free'),
      ]
      await storeWorld(getStore(), events)
      const asked: ActorsQuestion = {
        of: {
          kind: 'trend',
          events: {
            condition: { kind: 'event_name', name: 'buy' },
            matching: { rules: {}, now: day },
            path: 'query',
          },
          range: { from: day, before: day + DAY_MS },
          actor: { of: 'person' },
          firstAmong: null,
          group: null,
        },
        persons: { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' },
        search: null,
        order: [{ by: 'created_at', isDescending: true }],
        limit: 10,
        offset: 0,
      }
      const namesOf = async (fields: Partial<ActorsQuestion> = {}): Promise<unknown> =>
        (await ask({ ...asked, ...fields })).actors.map((actor) => (actor.of === 'person' ? actor.distinctIds : null))
      expect(await ask(asked)).toEqual({
        actors: [
          { of: 'person', id: events[1]!.personId, isIdentified: true, distinctIds: ['bob'], ...bob },
          { of: 'person', id: events[0]!.personId, isIdentified: true, distinctIds: ['ada'], ...ada },
        ],
        hasMore: false,
        missingCount: 1,
      })
      expect(await namesOf({ limit: 1 })).toEqual([['bob']])
      expect(await namesOf({ search: 'ada@X' })).toEqual([['ada']])
      expect(await namesOf({ search: 'bOb' })).toEqual([['bob']])
      const group = { properties: [{ source: { of: 'event' }, name: 'plan' } as const], values: [['pro']] }
      const point = asked.of as Extract<ActorSelection, { kind: 'trend' }>
      expect(await namesOf({ of: { ...point, group: { ...group, isAmong: true } } })).toEqual([['ada']])
      expect(await namesOf({ of: { ...point, group: { ...group, isAmong: false } } })).toEqual([['bob']])
      const later = { from: day + DAY_MS, before: day + 2 * DAY_MS }
      expect(await namesOf({ of: { ...point, range: later } })).toEqual([['bob']])
      expect(await namesOf({ of: { ...point, range: later, firstAmong: point.events.condition } })).toEqual([])
    })

    it('of a funnel are those in its groups: with groups by a later step, only who has reached it', async () => {
      const day = Date.UTC(2020, 2, 1)
      const person = { properties: {}, createdAt: day }
      const visit = (distinctId: string, event: string, minutes: number) =>
        worldEvent({ event, distinctId, timestamp: day + minutes * 60_000, person, properties: { plan: 'pro' } })
      const events = [visit('eve', 'view', 0), visit('fay', 'view', 0), visit('fay', 'pay', 1)]
      await storeWorld(getStore(), events)
      const question: FunnelQuestion = {
        events: { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' },
        actor: { of: 'person' },
        range: { from: day, before: day + DAY_MS },
        steps: ['view', 'pay'].map((name) => ({ kind: 'event_name', name })),
        optionalSteps: [],
        firstSteps: [],
        order: 'ordered',
        windowMs: DAY_MS,
        exclusions: [],
        breakdown: {
          properties: [{ source: { of: 'event' }, name: 'plan' }],
          limit: 5,
          attribution: { of: 'step', step: 1 },
        },
        view: { kind: 'steps' },
      }
      const idsOf = async (group: GroupValues | null): Promise<unknown> => {
        const { actors } = await ask({
          of: { kind: 'funnel', question, doneStep: 0, missedStep: null, group },
          persons: { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' },
          search: null,
          order: [],
          limit: 10,
          offset: 0,
        })
        return actors.map((actor) => (actor.of === 'person' ? actor.distinctIds : null))
      }
      expect(await idsOf(null)).toEqual([['fay']])
      expect(await idsOf(['pro'])).toEqual([['fay']])
      expect(await idsOf(['free'])).toEqual([])
    })

    it('have at most a thousand distinct ids', async () => {
      const day = Date.UTC(2020, 0, 1)
      const person = { properties: {}, createdAt: day }
      const { personId } = worldEvent({ distinctId: 'id 0', timestamp: day })
      const ids = Array.from({ length: 1_200 }, (_, n) => `id ${n}`)
      await storeWorld(
        getStore(),
        ids.map((distinctId) => worldEvent({ distinctId, personId, timestamp: day, person })),
      )
      const { actors } = await ask({
        of: { kind: 'all', actor: { of: 'person' } },
        persons: { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' },
        search: null,
        order: [],
        limit: 10,
        offset: 0,
      })
      const shown = actors.flatMap((actor) => (actor.of === 'person' ? [actor.distinctIds] : []))
      // Other tests have stored their persons, too.
      expect(shown).toContainEqual(ids.toSorted().slice(0, 1_000))
    })

    it('are all groups of a type, described ones alone', async () => {
      const day = Date.UTC(2020, 0, 1)
      const inPlant = (plant: string, properties: JsonObject | null) =>
        worldEvent({
          timestamp: day,
          groups: { plant },
          groupProperties: properties === null ? {} : { plant: properties },
        })
      const groups = [inPlant('north', { name: 'Nord' }), inPlant('south', { seats: 5 }), inPlant('west', null)]
      await storeWorld(getStore(), groups)
      const keysOf = async (fields: Partial<ActorsQuestion>): Promise<unknown> => {
        const { actors, ...more } = await ask({
          of: { kind: 'all', actor: { of: 'group', type: 'plant' } },
          persons: { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' },
          search: null,
          order: [{ by: 'id', isDescending: true }],
          limit: 10,
          offset: 0,
          ...fields,
        })
        return [actors.map((actor) => (actor.of === 'group' ? actor.key : null)), more]
      }
      expect(await keysOf({})).toEqual([['south', 'north'], { hasMore: false, missingCount: 0 }])
      expect(await keysOf({ limit: 1 })).toEqual([['south'], { hasMore: true, missingCount: 0 }])
      expect(await keysOf({ search: 'nord' })).toEqual([['north'], { hasMore: false, missingCount: 0 }])
    })

    it('are those of reading one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) =>
            fc.tuple(
              fc.constant(of),
              fc.array(question(of, fc.oneof(selection(of), point(of))), { minLength: 8, maxLength: 8 }),
            ),
          ),
          async ([of, questions]) => {
            await storeWorld(getStore(), of.events)
            for (const each of questions) expect(await ask(each)).toEqual(answerActors(each, of.events))
          },
        ),
        { numRuns: runsOf(8) },
      )
    }, 240_000)

    it.each([
      ['a few pages', pathsWorld, 8],
      ...(listsItems ? [['more pages than a store lists', pathsWorld.map(withManyPages), 2] as const] : []),
    ] as const)(
      'of paths are those of walking one event at a time, with %s',
      async (_, worlds, numRuns) => {
        await fc.assert(
          fc.asyncProperty(
            worlds.chain((of) =>
              fc.tuple(fc.constant(of), fc.array(question(of, pathsPoint(of)), { minLength: 8, maxLength: 8 })),
            ),
            async ([of, questions]) => {
              await storeWorld(getStore(), of.events.toReversed())
              for (const each of questions) expect(await ask(each)).toEqual(answerActors(each, of.events))
            },
          ),
          { numRuns: runsOf(numRuns) },
        )
      },
      240_000,
    )

    it('of paths are those with an edge, an item or an end', async () => {
      const day = Date.UTC(2020, 3, 1)
      const person = { properties: {}, createdAt: day }
      const at = (distinctId: string, minute: number, event: string) =>
        worldEvent({ event, distinctId, timestamp: day + minute * 60_000, person })
      await storeWorld(getStore(), [
        at('gil', 0, 'home'),
        at('gil', 1, 'list'),
        at('gil', 2, 'pay'),
        at('hal', 0, 'home'),
        at('hal', 1, 'pay'),
        // Half an hour later it is another path.
        at('hal', 40, 'list'),
        at('ian', 0, 'home'),
      ])
      const matching = { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' }
      const question: PathsQuestion = {
        events: matching,
        actor: { of: 'person' },
        range: { from: day, before: day + DAY_MS },
        items: { types: ['custom'], replacesIds: false, groupings: [], excluded: [] },
        start: null,
        end: null,
        stepLimit: 2,
        around: null,
        edges: { limit: 50, minCount: 0, maxCount: 50 },
      }
      const idsOf = async (nodes: Partial<PathsPoint>): Promise<unknown> => {
        const of: PathsPoint = { kind: 'paths', question, from: null, to: null, last: null, ...nodes }
        const { actors } = await ask({ of, persons: matching, search: null, order: [], limit: 10, offset: 0 })
        return actors
          .flatMap((actor) => (actor.of === 'person' ? actor.distinctIds : []))
          .toSorted((a, b) => (a < b ? -1 : 1))
      }
      const [home, list, pay] = [
        { step: 1, item: 'home' },
        { step: 2, item: 'list' },
        { step: 2, item: 'pay' },
      ]
      expect(await idsOf({})).toEqual(['gil', 'hal', 'ian'])
      expect(await idsOf({ from: home })).toEqual(['gil', 'hal'])
      expect(await idsOf({ from: home, to: pay })).toEqual(['hal'])
      expect(await idsOf({ to: home })).toEqual(['gil', 'hal', 'ian'])
      expect(await idsOf({ to: list })).toEqual(['gil'])
      expect(await idsOf({ to: { step: 1, item: 'list' } })).toEqual(['hal'])
      expect(await idsOf({ last: home })).toEqual(['ian'])
      // The third item of this path does not count.
      expect(await idsOf({ last: list })).toEqual(['gil'])
      expect(await idsOf({ last: { step: 3, item: 'pay' } })).toEqual([])
      expect(await idsOf({ from: { step: 1, item: 'nothing' } })).toEqual([])
    })

    it('are read in several parts when there are thousands', async () => {
      const day = Date.UTC(1999, 0, 1)
      const events = Array.from({ length: 3000 }, (_, index) =>
        worldEvent({
          distinctId: `many ${String(index).padStart(4, '0')}`,
          timestamp: day,
          person: { properties: { index }, createdAt: day + index },
        }),
      )
      await storeWorld(getStore(), events)
      const { actors, hasMore } = await ask({
        of: { kind: 'all', actor: { of: 'person' } },
        persons: { condition: combine('all', []), matching: { rules: {}, now: day }, path: 'query' },
        search: 'many',
        order: [{ by: 'created_at', isDescending: false }],
        limit: 2999,
        offset: 0,
      })
      expect(actors.map(({ properties }) => properties['index'])).toEqual(
        Array.from({ length: 2999 }, (_, index) => index),
      )
      expect(hasMore).toBe(true)
    })
  })
}
