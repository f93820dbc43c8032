import { createAgent } from '../../src/agent/agent.ts'
import type { Options } from '../../src/agent/options.ts'
import type { Properties, Waymark } from '../../src/agent/waymark.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { createUuidV7 } from '../../src/codec/uuid.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import { fakeLifecycle } from './fake-lifecycle.ts'
import type { FakeLifecycle } from './fake-lifecycle.ts'
import { fakeService } from './fake-service.ts'
import type { FakeService } from './fake-service.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'
import { sharedLease } from './shared-lease.ts'
import { sharedStore } from './shared-store.ts'
import type { SharedStore } from './shared-store.ts'

/** What the agent asked of the flag endpoint. */
export type FlagQuestion = Readonly<Record<string, unknown>>

/** An event as it arrived. */
export interface Arrived {
  readonly event: string
  readonly distinct_id: string
  readonly uuid: string
  readonly timestamp: string
  readonly properties: Record<string, unknown>
}

/** One page with its agent. */
export interface AgentPage {
  readonly agent: Waymark
  readonly lifecycle: FakeLifecycle
  readonly warnings: unknown[][]
  readonly debugs: boolean[]
  /** How often the platform was told that the agent has ended. */
  readonly ends: { count: number }
  /** Captures as the platform's autocapture does. */
  readonly autocapture: (event: string, properties?: Properties) => void
  /** The page's path, which the test may change. */
  pathname: string
  /** Begins an agent that was opened without. */
  readonly begin: () => void
  /** Another tab has changed what is stored. */
  storageChanged(): Promise<void>
}

/** A browser profile with its agents, a clock and a service. */
export interface AgentWorld {
  readonly clock: ManualClock
  readonly service: FakeService
  readonly store: SharedStore
  readonly storage: KeyValue
  /** Requests for flags, oldest first. */
  readonly asked: FlagQuestion[]
  /** What the service answers to them. */
  flags: Record<string, boolean | string>
  /** What else it says in these answers. */
  moreAnswer: object
  /** @param isBegun False: the agent begins by its first verb, or by `begin()`. Default true. */
  open(options?: Options, isBegun?: boolean): AgentPage
  /** Lets everything that is under way finish, without time passing. */
  idle(): Promise<void>
  /** Flushes, and answers what has arrived since the last time. */
  arrived(page: AgentPage): Promise<Arrived[]>
  /** The synchronous storage is empty from now on, as after a crash. */
  loseStorage(): void
}

const HOST = 'https://waymark.test'

export const createAgentWorld = (): AgentWorld => {
  const clock = manualClock()
  const service = fakeService()
  const store = sharedStore()
  const lease = sharedLease()
  const asked: FlagQuestion[] = []
  let values = memoryKeyValue()
  let seen = 0
  let seed = 1
  /** Of one page. */
  const createIds = () =>
    createUuidV7((length) =>
      Uint8Array.from({ length }, () => {
        seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fffffff
        return seed & 255
      }),
    )

  const own: AgentWorld = {
    clock,
    service,
    store,
    asked,
    flags: {},
    moreAnswer: {},
    storage: {
      get: (key) => values.get(key),
      set: (key, value) => values.set(key, value),
      remove: (key) => values.remove(key),
    },
    open(options = {}, isBegun = true) {
      const id = {}
      const newId = createIds()
      const lifecycle = fakeLifecycle()
      const listeners = new Set<(key: string) => void>()
      const page = { warnings: [] as unknown[][], debugs: [] as boolean[], ends: { count: 0 }, pathname: '/home' }
      let autocapture: AgentPage['autocapture'] = () => {}
      const { verbs: agent, begin } = createAgent(
        'key',
        Object.assign(options, { disableCompression: true }),
        { warn: (...message) => page.warnings.push(message), debug: () => {} },
        () => ({
          host: HOST,
          clock,
          newId,
          random: () => 0.5,
          storage: own.storage,
          onStorageChange(listener) {
            listeners.add(listener)
            return () => void listeners.delete(listener)
          },
          openStore: async () => store.connect(() => true),
          lease: lease.of(id),
          channel: { post: () => {}, onMessage: () => () => {} },
          lifecycle,
          async send(request) {
            if (!request.url.includes('/decide')) return service.send(request)
            asked.push(JSON.parse(String(request.body)) as FlagQuestion)
            const body = { featureFlags: own.flags, featureFlagPayloads: {}, ...own.moreAnswer }
            return { status: 200, body: JSON.stringify(body), retryAfter: null }
          },
          beacon: service.beacon,
          compressor: async (text) => gzipSync(text),
          automatic: () => ({ $lib: 'test', $pathname: page.pathname }),
          windowId: (session) => `window of ${session}`,
          autocapture: [
            (capture) => {
              autocapture = capture
              return () => {
                autocapture = () => {}
              }
            },
          ],
          onShutdown: () => void page.ends.count++,
          setDebug: (on) => page.debugs.push(on),
        }),
      )
      if (isBegun) begin()
      return Object.assign(page, {
        agent,
        begin,
        lifecycle,
        autocapture: (event: string, properties?: Properties) => autocapture(event, properties),
        async storageChanged() {
          for (const listener of listeners) listener('state')
          await own.idle()
        },
      })
    },
    idle: () => clock.advance(0),
    async arrived({ agent }) {
      await own.idle()
      const flushed = agent.flush()
      await own.idle()
      await flushed
      const events = service.events() as unknown as Arrived[]
      const fresh = events.slice(seen)
      seen = events.length
      return fresh
    },
    loseStorage() {
      values = memoryKeyValue()
    },
  }
  return own
}
