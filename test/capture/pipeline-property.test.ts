import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Reply } from '../support/fake-service.ts'
import { createWorld } from '../support/pipeline-harness.ts'
import type { Tab } from '../support/pipeline-harness.ts'

const TABS = 3
const tab = fc.nat({ max: TABS - 1 })

/** Actions of a browser, its network and its service. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('capture' as const), tab, count: fc.integer({ min: 1, max: 7 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), tab }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 250, 3_000, 31_000, 400_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('service' as const),
      mode: fc.constantFrom('up', 'down', 'silent', 'deaf', 'busy', 'foreign', 'narrow'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), tab, isStorageLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hide' as const), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('return' as const), tab, afterMs: fc.constantFrom(0, 1_000, 40_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disk' as const), isFull: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('network' as const), isOnline: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clock' as const), backMs: fc.constantFrom(1_000, 3_600_000) }) },
)

const REPLIES: Record<string, (events: number) => Reply> = {
  up: () => ({ status: 200 }),
  down: () => ({ status: 503 }),
  silent: () => ({ status: 0 }),
  deaf: () => ({ status: 200, isDropped: true }),
  busy: () => ({ status: 429, retryAfter: '20' }),
  foreign: () => ({ status: 404 }),
  narrow: (events) => ({ status: events > 2 ? 413 : 200 }),
}

describe('whatever happens to tabs, network and service', () => {
  it.each([
    ['arrive', true, 10_000],
    ['get lost', false, 10_000],
    ['arrive and the queue is full', true, 9],
  ])(
    'every event arrives unchanged and in capture order, when beacons %s',
    async (_name, doBeaconsArrive, maxEvents) => {
      const scenario = async (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) => {
        const world = createWorld()
        world.service.doBeaconsArrive = doBeaconsArrive
        let mode = 'up'
        world.service.reply = ({ body }) =>
          REPLIES[mode]!((JSON.parse(String(body)) as { batch: unknown[] }).batch.length)
        let isOnline = true
        let hasBeenFull = false
        let opened = 0
        const everyTab: Tab[] = []
        const captured: string[][] = []
        const current: number[] = []
        const open = (slot: number): void => {
          const page = world.open({ flushAt: 5, maxBatchSize: 4, maxEvents })
          page.lifecycle.online = isOnline
          current[slot] = opened++
          everyTab.push(page)
          captured.push([])
        }
        for (let slot = 0; slot < TABS; slot++) open(slot)
        await world.idle()
        for (const action of steps) {
          const live = 'tab' in action ? everyTab[current[action.tab]!]! : undefined
          if (action.do === 'capture') {
            const own = captured[current[action.tab]!]!
            for (let n = 0; n < action.count; n++) {
              const name = `tab ${current[action.tab]} event ${own.length}`
              if (live!.pipeline.capture(name, { n })) own.push(name)
            }
            await world.idle()
          } else if (action.do === 'flush') void live!.pipeline.flush()
          else if (action.do === 'wait') await world.clock.advance(action.ms)
          else if (action.do === 'service') mode = action.mode
          else if (action.do === 'hide') live!.lifecycle.hide()
          else if (action.do === 'clock') world.clock.set(world.clock.now() - action.backMs)
          else if (action.do === 'disk') {
            world.store.refuses = () => action.isFull
            hasBeenFull ||= action.isFull
          } else if (action.do === 'return') {
            live!.lifecycle.hide()
            live!.lifecycle.unload(true)
            await world.clock.advance(action.afterMs)
            live!.lifecycle.wake('restored')
            live!.lifecycle.wake('visible')
          } else if (action.do === 'kill' && !hasBeenFull) {
            // With a full disk only memory has the events, and a killed page would lose them.
            live!.kill()
            if (action.isStorageLost) world.loseStorage()
            open(action.tab)
          } else if (action.do === 'close' || action.do === 'kill') {
            await live!.close()
            open(action.tab)
          } else if (action.do === 'network') {
            isOnline = action.isOnline
            for (const slot of current) {
              everyTab[slot]!.lifecycle.online = isOnline
              if (isOnline) everyTab[slot]!.lifecycle.wake('online')
            }
          }
        }
        mode = 'up'
        world.store.refuses = () => false
        for (const slot of current) {
          everyTab[slot]!.lifecycle.online = true
          everyTab[slot]!.lifecycle.wake('online')
          // A store that refused to delete tries again with the next event.
          everyTab[slot]!.pipeline.capture(`tab ${slot} last`, {})
          captured[slot]!.push(`tab ${slot} last`)
        }
        await world.clock.advance(700_000)
        // The last of many batches may be in flight.
        for (let turn = 0; turn < 20; turn++) await world.idle()
        return { world, everyTab, captured }
      }

      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const { world, everyTab, captured } = await scenario(steps)
          expect(await world.waiting()).toEqual([])
          const arrived = world.service.names()
          const dropped = everyTab.flatMap((page) => page.dropped)
          const reported = dropped.map(({ event }) => event.event)
          expect([...new Set([...arrived, ...reported])].toSorted()).toEqual(captured.flat().toSorted())
          // A full disk refuses to delete dropped events, and stores the latest event before earlier ones in memory.
          const wasFull = steps.some((action) => action.do === 'disk')
          if (!wasFull) expect(reported).toEqual([...new Set(reported)])
          const byUuid = new Map<string, string>()
          for (const event of world.service.events()) {
            const json = JSON.stringify(event)
            expect(byUuid.get(event.uuid) ?? json).toBe(json)
            byUuid.set(event.uuid, json)
          }
          // Later events overtake an event of a lost beacon or request during its resend delay.
          const hasLostLast = steps.some((action) => action.do === 'service' && action.mode === 'silent')
          if (
            !wasFull &&
            doBeaconsArrive &&
            !(hasLostLast && steps.some(({ do: done }) => /close|kill|return/.test(done)))
          ) {
            for (const own of captured) {
              const kept = own.filter((name) => arrived.includes(name))
              expect(arrived.filter((name) => own.includes(name))).toEqual(kept)
            }
          }
          expect(dropped.every(({ reason }) => maxEvents < 10_000 && reason === 'queue_overflow')).toBe(true)
          for (const page of everyTab) {
            expect(page.warnings.map(String).filter((warning) => /failed/.test(warning))).toEqual([])
          }
        }),
        { numRuns: 120 },
      )
    },
    60_000,
  )
})
