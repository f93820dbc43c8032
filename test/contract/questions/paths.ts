import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../property-runs.ts'
import type { Condition } from '../../../src/service/insight/filter/condition.ts'
import { combine } from '../../../src/service/insight/filter/condition.ts'
import { FUNNEL_ORDERS } from '../../../src/service/insight/question/funnel.ts'
import { FUNNEL_PATHS_PARTS, ITEM_TYPES } from '../../../src/service/insight/question/paths.ts'
import type { FunnelPaths, PathsAnswer, PathsQuestion } from '../../../src/service/insight/question/paths.ts'
import type { Actor } from '../../../src/service/insight/question/subject.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { actor, condition, toSelection } from './arbitrary.ts'
import type { World } from './arbitrary.ts'
import { answerPaths } from './reference/paths.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'
import type { WorldEvent } from './world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const ID = '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10'
const URLS = [
  '/',
  '/a',
  '/a/',
  '/b',
  '/b/1',
  '/b/22/c',
  `/b/${ID}?x=/1`,
  'https://x.example/',
  'https://x.example',
  '/😀*',
  '',
  null,
]
const ITEMS = ['/', '/a', '/b', 'https://x.example', 'a', 'Home', '/b/:id', '/b/*']
const NAMES = ['$pageview', '$pageview', '$pageview', '$screen', '$autocapture', 'a', 'b']

let worldCount = 0

/** The day of the last events of a glob. */
let globDay = Date.UTC(2023, 0, 1)

/** Events of a few minutes and persons, many at the same time. No two worlds have a day in common. */
export const world: fc.Arbitrary<World> = fc
  .array(
    fc.record({
      event: fc.constantFrom(...NAMES),
      person: fc.nat({ max: 4 }),
      hasOtherId: fc.boolean(),
      // Many are exactly half an hour apart, where a path breaks.
      minute: fc.oneof(fc.nat({ max: 150 }), fc.constantFrom(0, 30, 31, 60, 90, 91, 120)),
      more: fc.constantFrom(0, 0, 0, 1, MINUTE_MS - 1),
      url: fc.constantFrom(...URLS),
      screen: fc.constantFrom('Home', 'Home/', 'Settings', '/b/1'),
      company: fc.constantFrom(null, 'acme', 'beta'),
      session: fc.constantFrom('s1', 's2'),
    }),
    { minLength: 20, maxLength: 60 },
  )
  .map((list) => {
    worldCount += 1
    const start = Date.UTC(1970, 0, 1) + worldCount * DAY_MS
    const events = list.map(({ event, person, hasOtherId, minute, more, url, screen, company, session }) =>
      worldEvent({
        event,
        distinctId: `${start} ${person}${hasOtherId ? ' again' : ''}`,
        personId: derivePersonId(1, `${start} ${person}`),
        person: person === 0 ? null : { properties: {}, createdAt: start + person },
        timestamp: start + minute * MINUTE_MS + more,
        properties: { $current_url: url, $screen_name: screen, $session_id: session },
        groups: company === null ? {} : { company: `${start} ${company}` },
        groupProperties: company === 'acme' ? { company: { size: 'big' } } : {},
      }),
    )
    return { start, events }
  })

/** Adds pages to a world: more than a store lists before it counts paths. As ids they are one item. */
export const withManyPages = ({ start, events }: World): World => ({
  start,
  events: [
    ...events,
    ...Array.from({ length: 16_500 }, (_, index) =>
      worldEvent({
        event: '$pageview',
        distinctId: `${start} visitor ${index % 500}`,
        timestamp: start + ((index * 7) % 150) * MINUTE_MS,
        properties: { $current_url: `/many/${index}` },
      }),
    ),
  ],
})

const named = (name: string): Condition => ({ kind: 'event_name', name })

const step = fc.oneof(fc.constantFrom(...['a', 'b', '$pageview', '$screen'].map(named)), condition)

/** A part of the time around a step of a funnel. Only a step that was done has a part between it and the one before. */
const funnelPaths = (of: World, counted: Actor): fc.Arbitrary<FunnelPaths> =>
  fc
    .record({
      steps: fc.array(step, { minLength: 2, maxLength: 3 }),
      isOptional: fc.boolean(),
      order: fc.constantFrom(...FUNNEL_ORDERS),
      windowMs: fc.constantFrom(5, 60, 1500).map((minutes) => minutes * MINUTE_MS),
      hours: fc.constantFrom(2, 24),
      target: fc.nat({ max: 2 }),
      isMissed: fc.boolean(),
      part: fc.constantFrom(...FUNNEL_PATHS_PARTS),
    })
    .map(({ steps, isOptional, order, windowMs, hours, target, isMissed, part }): FunnelPaths => {
      const optionalSteps = isOptional && order !== 'unordered' ? [1] : []
      const chosen = Math.min(target, steps.length - 1)
      const isOfMissed = isMissed && chosen > 0 && part !== 'between'
      return {
        part,
        doneStep: isOfMissed ? (optionalSteps.includes(chosen - 1) ? 0 : chosen - 1) : chosen,
        missedStep: isOfMissed ? chosen : null,
        question: {
          events: toSelection(combine('all', []), of),
          actor: counted,
          range: { from: of.start, before: of.start + hours * 60 * MINUTE_MS },
          steps,
          optionalSteps,
          firstSteps: [],
          order,
          windowMs,
          exclusions: [],
          breakdown: null,
          view: { kind: 'steps' },
        },
      }
    })

export const pathsQuestion = (of: World): fc.Arbitrary<PathsQuestion> =>
  actor.chain((counted) =>
    fc.record({
      events: fc.oneof(fc.constant(combine('all', [])), condition).map((each) => toSelection(each, of)),
      range: fc.constantFrom(
        { from: of.start, before: of.start + DAY_MS },
        { from: of.start + 10 * MINUTE_MS, before: of.start + 140 * MINUTE_MS },
        { from: 0, before: 8.64e15 },
      ),
      actor: fc.constant(counted),
      items: fc.record({
        types: fc.subarray([...ITEM_TYPES], { minLength: 1 }),
        replacesIds: fc.boolean(),
        groupings: fc.subarray(['/b/*', '*a', 'http*', '/b*:id*', 'H*e'], { maxLength: 2 }),
        excluded: fc.subarray(ITEMS, { maxLength: 1 }),
      }),
      start: fc.constantFrom(null, null, null, ...ITEMS.slice(0, 3)),
      end: fc.constantFrom(null, null, null, ...ITEMS.slice(0, 3)),
      stepLimit: fc.integer({ min: 2, max: 6 }),
      around: fc.option(funnelPaths(of, counted)),
      edges: fc.constantFrom(
        { limit: 1000, minCount: 0, maxCount: 1000 },
        { limit: 3, minCount: 0, maxCount: 1000 },
        { limit: 1000, minCount: 2, maxCount: 3 },
      ),
    }),
  )

/** How a store answers paths. */
export interface PathsTraits {
  /** Whether it lists the items first where there are few of them, and numbers them in another way where there are many. Default: true. */
  readonly listsItems?: boolean
}

/** Tests that every event store must pass. */
export const pathsContract = (create: () => StoreUnderTest, { listsItems = true }: PathsTraits = {}): void => {
  describe('paths', () => {
    const getStore = openForSuite(create)
    const ask = (asked: PathsQuestion): Promise<PathsAnswer> => getStore().paths({ ...asked, timeoutMs: 10_000 })

    const asked = (start: number, fields: Partial<PathsQuestion> = {}): PathsQuestion => ({
      events: { condition: combine('all', []), matching: { rules: {}, now: start }, path: 'query' },
      range: { from: start, before: start + DAY_MS },
      actor: { of: 'person' },
      items: { types: ITEM_TYPES, replacesIds: false, groupings: [], excluded: [] },
      start: null,
      end: null,
      stepLimit: 5,
      around: null,
      edges: { limit: 50, minCount: 0, maxCount: 1000 },
      ...fields,
    })
    const edgesOf = async (asking: PathsQuestion): Promise<unknown> =>
      (await ask(asking)).edges.map(({ step, source, target, count, averageMs }) => [
        step,
        source,
        target,
        count,
        averageMs,
      ])

    it('have the edges that were counted by hand', async () => {
      const start = Date.UTC(2020, 0, 1)
      const view = (distinctId: string, minute: number, url: string): WorldEvent =>
        worldEvent({
          event: '$pageview',
          distinctId,
          timestamp: start + minute * MINUTE_MS,
          properties: { $current_url: url },
        })
      await storeWorld(getStore(), [
        view('ada', 0, '/home/'),
        view('ada', 2, '/home'),
        view('ada', 5, '/item/1'),
        worldEvent({ event: 'buy', distinctId: 'ada', timestamp: start + 6 * MINUTE_MS }),
        // Half an hour later it is another path.
        view('ada', 36, '/home'),
        view('ada', 37, '/item/2'),
        view('bob', 0, '/home'),
        view('bob', 3, '/item/1'),
        worldEvent({ event: '$autocapture', distinctId: 'bob', timestamp: start + 4 * MINUTE_MS }),
      ])
      expect(await edgesOf(asked(start))).toEqual([
        [1, '/home', '/item/1', 2, 4 * MINUTE_MS],
        [1, '/home', '/item/2', 1, MINUTE_MS],
        [2, '/item/1', 'buy', 1, MINUTE_MS],
      ])
      const items = { types: ['page'], replacesIds: true, groupings: [], excluded: [] } as const
      expect(await edgesOf(asked(start, { items }))).toEqual([[1, '/home', '/item/:id', 3, 3 * MINUTE_MS]])
      const grouped = { types: ['page'], replacesIds: false, groupings: ['/i*'], excluded: ['/home'] } as const
      expect(await edgesOf(asked(start, { items: grouped }))).toEqual([])
      expect(await edgesOf(asked(start, { start: '/item/1' }))).toEqual([[1, '/item/1', 'buy', 1, MINUTE_MS]])
      expect(await edgesOf(asked(start, { end: 'buy', stepLimit: 2 }))).toEqual([[1, '/item/1', 'buy', 1, MINUTE_MS]])
      expect(await edgesOf(asked(start, { start: '/home', end: '/item/2' }))).toEqual([
        [1, '/home', '/item/2', 1, MINUTE_MS],
      ])
      expect(await edgesOf(asked(start, { stepLimit: 2, edges: { limit: 1, minCount: 0, maxCount: 1 } }))).toEqual([
        [1, '/home', '/item/2', 1, MINUTE_MS],
      ])
    })

    it('are those around a step of a funnel', async () => {
      const start = Date.UTC(2020, 1, 1)
      const at = (distinctId: string, minute: number, event: string): WorldEvent =>
        worldEvent({ event, distinctId, timestamp: start + minute * MINUTE_MS })
      await storeWorld(getStore(), [
        at('ada', 0, 'news'),
        at('ada', 1, 'look'),
        at('ada', 2, 'help'),
        at('ada', 3, 'cart'),
        at('ada', 4, 'pay'),
        at('ada', 5, 'thanks'),
        at('bob', 0, 'look'),
        at('bob', 1, 'help'),
        at('bob', 8, 'chat'),
        // After the window of his conversion.
        at('bob', 11, 'leave'),
        at('eve', 0, 'help'),
        at('eve', 1, 'chat'),
      ])
      const funnel: FunnelPaths['question'] = {
        events: { condition: combine('all', []), matching: { rules: {}, now: start }, path: 'query' },
        actor: { of: 'person' },
        range: { from: start, before: start + DAY_MS },
        steps: [named('look'), named('cart'), named('pay')],
        optionalSteps: [],
        firstSteps: [],
        order: 'ordered',
        windowMs: 10 * MINUTE_MS,
        exclusions: [],
        breakdown: null,
        view: { kind: 'steps' },
      }
      const around = async (
        part: FunnelPaths['part'],
        doneStep: number,
        missedStep: number | null = null,
        stepLimit = 5,
      ): Promise<unknown> => {
        const paths = { part, question: funnel, doneStep, missedStep }
        const { edges } = await ask(asked(start, { around: paths, stepLimit }))
        return edges.map(({ step: place, source, target }) => `${place} ${source} ${target}`)
      }
      expect(await around('before', 1)).toEqual(['1 news look', '2 look help', '3 help cart'])
      // The last items count.
      expect(await around('before', 1, null, 2)).toEqual(['1 help cart'])
      expect(await around('between', 1)).toEqual(['1 look help', '2 help cart'])
      expect(await around('between', 2)).toEqual(['1 cart pay'])
      expect(await around('after', 1)).toEqual(['1 cart pay', '2 pay thanks'])
      expect(await around('after', 0)).toEqual([
        '1 look help',
        '2 help cart',
        '2 help chat',
        '3 cart pay',
        '3 chat leave',
        '4 pay thanks',
      ])
      expect(await around('after', 0, 1)).toEqual(['1 look help', '2 help chat', '3 chat leave'])
      expect(await around('before', 0, 1)).toEqual(['1 look help', '2 help chat'])
      expect(await around('after', 1, 2)).toEqual([])
    })

    it('have the order of uuids where the times are the same', async () => {
      const start = Date.UTC(2021, 0, 1)
      const [first, second, third] = ['a', 'b', 'c'].map((event) => worldEvent({ event, timestamp: start }))
      await storeWorld(getStore(), [third!, first!, second!])
      expect(await edgesOf(asked(start))).toEqual([
        [1, 'a', 'b', 1, 0],
        [2, 'b', 'c', 1, 0],
      ])
    })

    it('have the edges of walking one event at a time', async () => {
      await fc.assert(
        fc.asyncProperty(
          world.chain((of) => fc.tuple(fc.constant(of), fc.array(pathsQuestion(of), { minLength: 8, maxLength: 8 }))),
          async ([of, questions]) => {
            // Not in the order of their uuids.
            await storeWorld(getStore(), of.events.toReversed())
            for (const each of questions) expect(await ask(each)).toEqual(answerPaths(each, of.events))
          },
        ),
        { numRuns: runsOf(10) },
      )
    }, 240_000)

    it.runIf(listsItems)(
      'have the same edges where there are more pages than a store lists',
      async () => {
        await fc.assert(
          fc.asyncProperty(
            world
              .map(withManyPages)
              .chain((of) => fc.tuple(fc.constant(of), fc.array(pathsQuestion(of), { minLength: 4, maxLength: 4 }))),
            async ([of, questions]) => {
              await storeWorld(getStore(), of.events.toReversed())
              for (const each of questions) expect(await ask(each)).toEqual(answerPaths(each, of.events))
            },
          ),
          // A smaller world has as many pages.
          { numRuns: runsOf(3), endOnFailure: true },
        )
      },
      240_000,
    )

    it('have many pages in the order of their bytes', async () => {
      const start = Date.UTC(2022, 0, 1)
      const visits = Array.from({ length: 17_000 }, (_, index) =>
        worldEvent({
          event: '$pageview',
          distinctId: `reader ${index >> 1}`,
          timestamp: start + (index % 2) * MINUTE_MS,
          properties: { $current_url: `/page/${String(index).padStart(5, '0')}` },
        }),
      )
      await storeWorld(getStore(), visits)
      const edges = { limit: 2, minCount: 0, maxCount: 1000 }
      expect(await edgesOf(asked(start, { edges }))).toEqual([
        [1, '/page/00000', '/page/00001', 1, MINUTE_MS],
        [1, '/page/00002', '/page/00003', 1, MINUTE_MS],
      ])
      expect(await edgesOf(asked(start, { edges, start: '/page/16998' }))).toEqual([
        [1, '/page/16998', '/page/16999', 1, MINUTE_MS],
      ])
      expect(await edgesOf(asked(start, { edges, start: '/page/none' }))).toEqual([])
    })

    it('have the edges of one person with more events than are sorted at once', async () => {
      const start = Date.UTC(2022, 1, 1)
      const events = Array.from({ length: 100_001 }, (_, index) =>
        worldEvent({ event: index % 2 === 0 ? 'a' : 'b', distinctId: 'machine', timestamp: start + index }),
      )
      await storeWorld(getStore(), events.toReversed())
      expect(await edgesOf(asked(start, { stepLimit: 3 }))).toEqual([
        [1, 'a', 'b', 1, 1],
        [2, 'b', 'a', 1, 1],
      ])
    }, 60_000)

    it.each([
      ['/a*', ['/a', '/a/b', '/ab', '/a%b', '/a_b', '/a\n/b', '/a/b/b']],
      ['*b', ['/ab', '/a/b', '/a%b', '/a_b', '/a\n/b', '/a/b/b']],
      ['/a/*/b', ['/a/b/b']],
      ['/a*/b', ['/a/b', '/a\n/b', '/a/b/b']],
      ['/a*a', []],
      ['*a*b*', ['/a/b', '/ab', '/a%b', '/a_b', '/a\n/b', '/a/b/b']],
      ['/a_b', ['/a_b']],
      ['/a%*', ['/a%b']],
      ['*.*B', ['/A.B']],
      ['/A.B', ['/A.B']],
      ["/'*", ["/'"]],
    ])('group the pages that match %j', async (glob, matching) => {
      const urls = ['/', '/a', '/a/b', '/ab', '/a%b', '/a_b', '/a\n/b', '/A.B', "/'", '/a/b/b']
      globDay += DAY_MS
      const start = globDay
      await storeWorld(
        getStore(),
        urls.flatMap((url, index) => [
          worldEvent({
            event: '$pageview',
            distinctId: `glob ${index}`,
            timestamp: start,
            properties: { $current_url: url },
          }),
          worldEvent({ event: 'end', distinctId: `glob ${index}`, timestamp: start + 1 }),
        ]),
      )
      const items = { types: ITEM_TYPES, replacesIds: false, groupings: [glob], excluded: [] }
      const { edges } = await ask(asked(start, { items }))
      const alone = urls.filter((url) => !matching.includes(url)).map((url) => [url, 1] as const)
      const grouped = matching.length === 0 ? [] : [[glob, matching.length] as const]
      expect(new Map(edges.map(({ source, count }) => [source, count]))).toEqual(new Map([...alone, ...grouped]))
    })

    it('are none without events', async () => {
      expect(await ask(asked(Date.UTC(1900, 0, 1)))).toEqual({ edges: [] })
    })
  })
}
