import { createAgent } from '../../src/agent/agent.ts'
import type { Options } from '../../src/agent/options.ts'
import { deliverWith } from '../../src/agent/deliver-with.ts'
import { flags, surveys } from '../../src/agent/parts.ts'
import type { Properties, Waymark } from '../../src/agent/waymark.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { createUuidV7 } from '../../src/codec/uuid.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import { fakeLifecycle } from './fake-lifecycle.ts'
import type { FakeLifecycle } from './fake-lifecycle.ts'
import { fakeService } from './fake-service.ts'
import type { FakeService } from './fake-service.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'
import { createSharedLock } from './shared-lock.ts'
import { sharedStore } from './shared-store.ts'
import type { SharedStore } from './shared-store.ts'

/** The body of a request to the flag endpoint. */
export type FlagRequest = Readonly<Record<string, unknown>>

/** An event as the service has received it. */
export interface ArrivedEvent {
  readonly event: string
  readonly distinct_id: string
  readonly uuid: string
  readonly timestamp: string
  readonly properties: Record<string, unknown>
}

/** A page with its agent. */
export interface AgentPage {
  readonly agent: Waymark
  readonly lifecycle: FakeLifecycle
  readonly warnings: unknown[][]
  /** Arguments of the calls of the platform's `setDebug`. */
  readonly setDebugCalls: boolean[]
  /** Number of times that the platform was ended. */
  readonly shutdowns: { count: number }
  /** Captures an event as the platform's autocapture does. */
  readonly autocapture: (event: string, properties?: Properties) => void
  /** The page's path, which the test may change. */
  pathname: string
  /** Starts an agent that `open` has not started. */
  readonly start: () => void
  /** Notifies the agent that another tab has changed the storage. */
  storageChanged(): Promise<void>
}

/** One browser profile, whose pages and agents share storage, with a fake clock and a fake service. */
export interface AgentHarness {
  readonly clock: ManualClock
  readonly service: FakeService
  readonly store: SharedStore
  readonly storage: KeyValue
  /** Flag requests, oldest first. */
  readonly flagRequests: FlagRequest[]
  /** Flags in the service's responses. */
  flags: Record<string, boolean | string>
  /** Further fields of these responses. */
  extraFlagResponse: object
  /**
   * Opens a page with a new agent.
   *
   * @param isStarted False: the agent starts at the first call of a verb, or by `start()`. Default true.
   */
  open(options?: Options, settings?: { readonly isStarted?: boolean }): AgentPage
  /** Waits for pending promises without advancing the clock. */
  waitUntilIdle(): Promise<void>
  /** Flushes, and returns the events that have arrived since the last call. */
  deliver(page: AgentPage): Promise<ArrivedEvent[]>
  /** Empties the synchronous storage, as a crash may do. */
  loseStorage(): void
}

const HOST = 'https://waymark.test'

export const createAgentHarness = (): AgentHarness => {
  const clock = manualClock()
  const service = fakeService()
  const store = sharedStore()
  const lock = createSharedLock()
  const flagRequests: FlagRequest[] = []
  let values = createMemoryKeyValue()
  let deliveredCount = 0
  let seed = 1
  /** Creates the id generator of one page. */
  const createIds = () =>
    createUuidV7((length) =>
      Uint8Array.from({ length }, () => {
        seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fffffff
        return seed & 255
      }),
    )

  const harness: AgentHarness = {
    clock,
    service,
    store,
    flagRequests,
    flags: {},
    extraFlagResponse: {},
    storage: {
      get: (key) => values.get(key),
      set: (key, value) => values.set(key, value),
      remove: (key) => values.remove(key),
    },
    open(options = {}, { isStarted = true } = {}) {
      const id = {}
      const newId = createIds()
      const lifecycle = fakeLifecycle()
      const listeners = new Set<(key: string) => void>()
      const page = {
        warnings: [] as unknown[][],
        setDebugCalls: [] as boolean[],
        shutdowns: { count: 0 },
        pathname: '/home',
      }
      let autocapture: AgentPage['autocapture'] = () => {}
      const { verbs: agent, start } = createAgent(
        'key',
        Object.assign(options, { disableCompression: true }),
        { warn: (...message) => page.warnings.push(message), debug: () => {} },
        { flags, surveys },
        () => ({
          host: HOST,
          clock,
          newId,
          random: () => 0.5,
          storage: harness.storage,
          onStorageChange(listener) {
            listeners.add(listener)
            return () => void listeners.delete(listener)
          },
          openStore: async () => store.connect(() => true),
          loadDelivery: deliverWith({
            compressor: async (input) => gzipSync(input),
            lock: lock.of(id),
            channel: { post: () => {}, onMessage: () => () => {} },
          }),
          lifecycle,
          async send(request) {
            if (!request.url.includes('/decide')) return service.send(request)
            flagRequests.push(JSON.parse(String(request.body)) as FlagRequest)
            const body = { featureFlags: harness.flags, featureFlagPayloads: {}, ...harness.extraFlagResponse }
            return { status: 200, body: JSON.stringify(body), retryAfter: null }
          },
          beacon: service.beacon,
          automaticProperties: () => ({ $lib: 'test', $pathname: page.pathname }),
          windowId: (session) => `window of ${session}`,
          autocapture(capture) {
            autocapture = capture
            return () => {
              page.shutdowns.count++
              autocapture = () => {}
            }
          },
          setDebug: (on) => page.setDebugCalls.push(on),
        }),
      )
      if (isStarted) start()
      return Object.assign(page, {
        agent,
        start,
        lifecycle,
        autocapture: (event: string, properties?: Properties) => autocapture(event, properties),
        async storageChanged() {
          for (const listener of listeners) listener('state')
          await harness.waitUntilIdle()
        },
      })
    },
    waitUntilIdle: () => clock.advance(0),
    async deliver({ agent }) {
      await harness.waitUntilIdle()
      const flushed = agent.flush()
      await harness.waitUntilIdle()
      await flushed
      const events = service.events() as unknown as ArrivedEvent[]
      const newEvents = events.slice(deliveredCount)
      deliveredCount = events.length
      return newEvents
    },
    loseStorage() {
      values = createMemoryKeyValue()
    },
  }
  return harness
}
