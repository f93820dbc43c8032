import { deliverWith } from '../../src/agent/deliver-with.ts'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import type { SendReport } from '../../src/capture/post-events.ts'
import type { DropReason } from '../../src/capture/drop-reason.ts'
import { createPipeline } from '../../src/capture/pipeline.ts'
import type { Pipeline, PipelineOptions } from '../../src/capture/pipeline.ts'
import { gzipSync } from '../../src/codec/gzip.ts'
import { lz64Form } from '../../src/codec/lz64.ts'
import { createInitialState } from '../../src/capture/state.ts'
import { createUuidV7 } from '../../src/codec/uuid.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { EventStore } from '../../src/port/event-store.ts'
import { atOnce } from '../../src/lib/at-once.ts'
import type { WhenAtRest } from '../../src/port/when-at-rest.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { WireEvent } from '../../src/wire/event.ts'
import { fakeLifecycle } from './fake-lifecycle.ts'
import type { FakeLifecycle } from './fake-lifecycle.ts'
import { fakeService } from './fake-service.ts'
import type { FakeService } from './fake-service.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'
import { createSharedLock } from './shared-lock.ts'
import type { SharedLock } from './shared-lock.ts'
import { sharedStore } from './shared-store.ts'
import type { SharedStore } from './shared-store.ts'

/** A tab with its page. */
export interface Tab {
  readonly pipeline: Pipeline
  readonly lifecycle: FakeLifecycle
  readonly dropped: { readonly event: OutgoingEvent; readonly reason: DropReason }[]
  readonly reports: SendReport[]
  readonly warnings: unknown[][]
  readonly debugs: (readonly unknown[])[]
  /** Tells this tab that another tab has changed this key of the synchronous storage. */
  dispatchStorageEvent(key: string): void
  /** Captures one event per name. */
  capture(...names: string[]): void
  /** The process dies: no timer, write or response has any effect from now on. */
  kill(): void
  /** The user closes the page: `pagehide` is sent, and work that has started completes. */
  close(): Promise<void>
}

export interface TabOptions extends Partial<PipelineOptions> {
  /** The store opens when this resolves, or fails to open when it rejects. Default: opens at once. */
  readonly whenStoreOpens?: () => Promise<void>
  /** Default: none, so that bodies are plain JSON. */
  readonly supportedCompression?: readonly string[]
  /** Default: a storage that all tabs share. */
  readonly storage?: KeyValue
  /** The delivery comes when this resolves, and the page rests only when `whenAtRest` says so. Default: it is there at the start. */
  readonly late?: { readonly whenLoaded: () => Promise<void>; readonly whenAtRest: WhenAtRest }
}

/** A browser profile with its tabs, and a fake clock and service. */
export interface PipelineHarness {
  readonly clock: ManualClock
  readonly service: FakeService
  readonly store: SharedStore
  readonly lock: SharedLock
  /** The synchronous storage that all tabs share. */
  readonly storage: KeyValue
  /** Empties the synchronous storage, as a crash may do. */
  loseStorage(): void
  open(options?: TabOptions): Tab
  /** Waits for pending promises without advancing the clock. */
  waitUntilIdle(): Promise<void>
  /** Names of the events in the store, in order. */
  storedEventNames(): Promise<string[]>
}

const OPTIONS: Omit<PipelineOptions, 'createState'> = {
  host: 'https://waymark.test',
  url: 'https://waymark.test/batch/',
  apiKey: 'key',
  flushAt: 100,
  flushInterval: 3_000,
  maxBatchSize: 100,
  fetchRetryCount: 3,
  fetchRetryDelay: 3_000,
  requestTimeout: 10_000,
  historicalMigration: false,
  maxQueueSize: 10_000,
  maxBytes: 20 * 1024 * 1024,
  personProfiles: 'identified_only',
  beforeSend: () => [],
  sessionIdleTimeoutSeconds: 1_800,
  onDrop: () => {},
  onSend: () => {},
}

export const createPipelineHarness = (): PipelineHarness => {
  const clock = manualClock()
  const service = fakeService()
  const store = sharedStore()
  const lock = createSharedLock()
  const listeners = new Map<object, (message: readonly string[]) => void>()
  let seed = 1
  /** Creates the id generator of one page. */
  const createIds = () =>
    createUuidV7((length) =>
      Uint8Array.from({ length }, () => {
        seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fffffff
        return seed & 255
      }),
    )
  let values = createMemoryKeyValue()
  const sharedStorage: KeyValue = {
    get: (key) => values.get(key),
    set: (key, value) => values.set(key, value),
    remove: (key) => values.remove(key),
  }

  const open = ({
    whenStoreOpens = async () => {},
    storage = sharedStorage,
    supportedCompression = [],
    late,
    ...options
  }: TabOptions = {}): Tab => {
    const id = {}
    const newId = createIds()
    let isAlive = true
    const lifecycle = fakeLifecycle()
    let dispatchStorageEvent: (key: string) => void = () => {}
    const tab: Pick<Tab, 'dropped' | 'reports' | 'warnings' | 'debugs'> = {
      dropped: [],
      reports: [],
      warnings: [],
      debugs: [],
    }
    const whileAlive = (task: () => void) => () => {
      if (isAlive) task()
    }
    const loadDelivery = deliverWith({
      compressor: async (text) => gzipSync(text),
      lock: lock.of(id),
      channel: {
        post(message) {
          for (const [listenerId, listener] of listeners) if (listenerId !== id) listener(message)
        },
        onMessage(listener) {
          // A page in the back/forward cache gets no messages.
          let isAway = false
          lifecycle.onUnload(() => (isAway = true))
          lifecycle.onWake(() => (isAway = false))
          listeners.set(id, (message) => isAway || listener(message))
          return () => void listeners.delete(id)
        },
      },
    })
    const pipeline: Pipeline = createPipeline(
      {
        ...OPTIONS,
        createState: () => createInitialState(newId(clock.now()), false),
        onDrop: (event, reason) => tab.dropped.push({ event, reason }),
        onSend: (report) => tab.reports.push(report),
        ...options,
      },
      {
        clock: {
          now: clock.now,
          after: (ms, task) => clock.after(ms, whileAlive(task)),
          defer: (task) => clock.defer(whileAlive(task)),
        },
        newId,
        isOptedOut: () => !!pipeline.state.current().isOptedOut,
        random: () => 0.5,
        storage,
        openStore: async (onLost): Promise<EventStore> => {
          await whenStoreOpens()
          return store.connect(() => isAlive, onLost)
        },
        loadDelivery: late ? () => late.whenLoaded().then(loadDelivery) : loadDelivery,
        whenAtRest: late?.whenAtRest ?? atOnce,
        lifecycle,
        // Only `dispatchStorageEvent` sends storage events, because they come late or never in a background tab.
        onStorageChange(listener) {
          dispatchStorageEvent = listener
          return () => {}
        },
        async send(request) {
          const response = await service.send(request)
          return isAlive ? response : new Promise(() => {})
        },
        beacon: service.beacon,
        lz64: lz64Form,
        logger: {
          warn: (...message) => tab.warnings.push(message),
          debug: (...message) => tab.debugs.push(message),
        },
        automaticProperties: () => ({ $lib: 'test' }),
        windowId: () => 'window',
        flagProperties: () => ({}),
        supportedCompression: () => supportedCompression,
        onIdentityChange: () => {},
      },
    )
    const stop = pipeline.start()
    const kill = (): void => {
      isAlive = false
      stop()
      lock.release(id)
    }
    return {
      ...tab,
      pipeline,
      lifecycle,
      dispatchStorageEvent: (key) => dispatchStorageEvent(key),
      capture(...names) {
        for (const name of names) pipeline.capture(name, {})
      },
      kill,
      async close() {
        lifecycle.hide()
        lifecycle.unload()
        await clock.advance(0)
        kill()
      },
    }
  }

  return {
    clock,
    service,
    store,
    lock,
    storage: sharedStorage,
    loseStorage() {
      values = createMemoryKeyValue()
    },
    open,
    waitUntilIdle: () => clock.advance(0),
    async storedEventNames() {
      const records = await store.disk.read('e/', 'e0', 100_000)
      return records.map(([, value]) => (JSON.parse(value) as WireEvent).event)
    },
  }
}
