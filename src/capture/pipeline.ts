import type { Channel } from '../port/channel.ts'
import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventStore } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lease } from '../port/lease.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import type { Beacon, Send } from '../port/send.ts'
import { runBeforeSend, type BeforeSend, type OutgoingEvent } from './before-send.ts'
import { BEACON_LEASE_MS, readControls } from './controls.ts'
import { createDelivery, type DeliveryOptions, type SendReport } from './delivery.ts'
import type { DropReason } from './drop-reason.ts'
import { chooseEncoding } from './encode.ts'
import { enrich, type PersonProfiles } from './enrich.ts'
import { createEventQueue, type QueueBounds, type Waiting } from './event-queue.ts'
import { createFallbackStore } from './fallback-store.ts'
import { LEASE_PREFIX, STATE_KEY } from './record-key.ts'
import { serialise } from './serialise.ts'
import { createStateKeeper, type StateKeeper } from './state-keeper.ts'
import { exchangeIdentity, type State } from './state.ts'
import { readSpill, sendBeacons, shrinkSpill, writeSpill, type Taken } from './unload.ts'

/** Events wait at most so long for the stored identity before their first write. */
const RECONCILE_MAX_MS = 1_000

export interface PipelineOptions extends DeliveryOptions, QueueBounds {
  readonly personProfiles: PersonProfiles
  readonly beforeSend: readonly BeforeSend[]
  readonly isOptedOut: boolean
  readonly onDrop: (event: OutgoingEvent, reason: DropReason) => void
  readonly onSend: (report: SendReport) => void
}

/** What the platform gives. */
export interface PipelinePorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  /** In [0, 1). */
  readonly random: () => number
  readonly storage: KeyValue
  /** Calls back when another tab has changed a key of `storage` (null: all). */
  readonly onStorageChange: (listener: (key: string | null) => void) => () => void
  /** Begins to open the shared store; may reject, then memory serves. */
  readonly openStore: () => Promise<EventStore>
  readonly memoryStore: EventStore
  readonly lease: (store: EventStore) => Lease
  readonly channel: Channel
  readonly lifecycle: Lifecycle
  readonly send: Send
  readonly beacon: Beacon
  readonly compressor: Compressor
  readonly logger: Logger
  /** The platform's own properties, at the moment of the call. */
  readonly automatic: () => Readonly<Record<string, unknown>>
  readonly windowId: (sessionId: string) => string | undefined
  /** From the flags, handed over by the agent. */
  readonly flagProperties: () => Readonly<Record<string, unknown>>
  readonly supportedCompression: () => readonly string[] | undefined
  /** The user may be another one by no call of this page: another tab has changed it, or a stored copy was found late. */
  readonly onIdentityFound: (source: 'tab' | 'store') => void
}

/** What one capture may decide for itself. */
export interface CaptureOptions {
  /** Default: now. */
  readonly timestamp?: Date
}

/** The event's way from `capture()` to the service. */
export interface Pipeline {
  readonly state: StateKeeper
  /** Never throws. False when the event was dropped; `onDrop` then knows why. */
  capture(event: string, properties: Readonly<Record<string, unknown>>, options?: CaptureOptions): boolean
  sessionId(): string
  start(): () => void
  flush(): Promise<void>
  /** Refuses further events, delivers what waits within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

export function createPipeline(options: PipelineOptions, ports: PipelinePorts): Pipeline {
  const { clock, lifecycle, logger, storage } = ports
  const tab = ports.newId(clock.now()).slice(-6)
  const stateKey = `waymark_${options.apiKey}`
  const spillKey = `${stateKey}_spill`
  let isClosed = false
  let isHidden = false
  // Set while the page goes away: no event-loop turn may follow, so that a capture has to be looked after at once.
  let leaving: Taken | undefined
  let isDropping = false
  // A filter that does what it was written for is no news.
  const told = new Set<DropReason>(['before_send'])

  const store = createFallbackStore(ports.openStore(), ports.memoryStore, (error) =>
    logger.warn(
      `IndexedDB is not available; events are held in memory and die with the page (storage_unavailable: ${String(error)})`,
    ),
  )
  const drop = (event: OutgoingEvent, reason: DropReason): void => {
    logger[told.has(reason) ? 'debug' : 'warn'](`event dropped (${reason}):`, event.event)
    told.add(reason)
    // An onDrop that captures may have that event dropped as well, and so on.
    if (isDropping) return
    isDropping = true
    try {
      options.onDrop(event, reason)
    } catch (error) {
      logger.warn('onDrop failed:', error)
    }
    isDropping = false
  }
  const dropJson = (json: string, reason: DropReason): void => drop(JSON.parse(json) as OutgoingEvent, reason)
  const onSend = (report: SendReport): void => {
    try {
      options.onSend(report)
    } catch (error) {
      logger.warn('onSend failed:', error)
    }
  }

  const queue = createEventQueue(store, clock, tab, options, (json) => dropJson(json, 'queue_overflow'))
  const state = createStateKeeper(storage, {
    key: stateKey,
    newId: ports.newId,
    startedAt: clock.now(),
    isOptedOut: options.isOptedOut,
    persist: (json) => queue.put(STATE_KEY, json),
  })
  const delivery = createDelivery(options, {
    clock,
    store,
    queue,
    send: ports.send,
    compressor: ports.compressor,
    lease: ports.lease(store),
    random: ports.random,
    supportedCompression: ports.supportedCompression,
    mayDeliver: () => !state.current().isOptedOut && lifecycle.isOnline(),
    isHidden: () => isHidden,
    onAcknowledged: ports.channel.post,
    onDrop: dropJson,
    onSend,
    warn: logger.warn,
  })

  function capture(
    name: string,
    properties: Readonly<Record<string, unknown>>,
    { timestamp }: CaptureOptions = {},
  ): boolean {
    const now = clock.now()
    const session = state.sessionAt(now)
    const refusal = refuse(name)
    const event = enrich(name, readable(properties), {
      uuid: ports.newId(now),
      at: Number(new Date(timestamp ?? now)) || now,
      state: state.current(),
      sessionId: session.id,
      windowId: refusal ? undefined : ports.windowId(session.id),
      automatic: ports.automatic(),
      flags: ports.flagProperties(),
      personProfiles: options.personProfiles,
    })
    if (refusal) {
      drop(event, refusal)
      return false
    }
    const outgoing = runBeforeSend(options.beforeSend, event, (error) => logger.warn('before_send failed:', error))
    if (!outgoing) {
      drop(event, 'before_send')
      return false
    }
    const json = serialise(outgoing)
    if (json.length > options.maxBytes) {
      drop(outgoing, 'too_large')
      return false
    }
    state.saveSession(session)
    const record = queue.add(json)
    if (leaving) leave([record])
    delivery.added()
    return true
  }

  function refuse(name: unknown): DropReason | undefined {
    if (isClosed) return 'shut_down'
    if (typeof name !== 'string' || !name.trim()) return 'invalid_event'
    return state.current().isOptedOut ? 'opted_out' : undefined
  }

  async function open(): Promise<void> {
    const cancel = clock.after(RECONCILE_MAX_MS, () => queue.release())
    const controls = await readControls(store)
    cancel()
    const found = state.reconcile(controls.state)
    queue.release(found && ((json) => adopt(json, found.base, found.stored)))
    if (found) ports.onIdentityFound('store')
    const spill = readSpill(storage, spillKey)
    if (spill.records.length) {
      queue.put(`${LEASE_PREFIX}spill`, JSON.stringify({ keys: spill.keys, until: spill.until }))
      queue.restore(spill.records)
      await queue.settle()
      shrinkSpill(storage, spillKey, spill.records)
    }
    await queue.measure()
    delivery.wake()
  }

  function adopt(json: string, base: State, stored: State): string | undefined {
    if (!state.current().isOptedOut) return exchangeIdentity(json, base, stored)
    dropJson(json, 'opted_out')
    return undefined
  }

  /** Last synchronous work of the page: writes begin, a beacon takes what it can, and what neither holds spills to localStorage. */
  function leave(waiting: readonly Waiting[]): void {
    leaving ??= { keys: [], bytes: 0 }
    if (store.isOpen) queue.release()
    void queue.settle()
    if (!waiting.length || state.current().isOptedOut) return
    const now = clock.now()
    const request = {
      url: options.url,
      apiKey: options.apiKey,
      sentAt: new Date(now).toISOString(),
      encoding: chooseEncoding(ports.supportedCompression(), Infinity, options.disableCompression),
      historicalMigration: options.historicalMigration,
    }
    sendBeacons(waiting, request, ports.beacon, ports.compressor, onSend, leaving)
    const lease = { keys: leaving.keys, until: now + BEACON_LEASE_MS }
    if (store.durable) {
      queue.put(LEASE_PREFIX + tab, JSON.stringify(lease))
      void queue.settle()
      return
    }
    const unstored = waiting.filter((record) => !record.isStored).map(({ key, value }) => ({ key, value }))
    const taken = new Set(leaving.keys)
    const left = unstored.filter((record) => !taken.has(record.key))
    const accepted = unstored.filter((record) => taken.has(record.key))
    const lost = new Set(writeSpill(storage, spillKey, [...left, ...accepted], lease))
    for (const record of left) if (lost.has(record)) dropJson(record.value, 'storage_unavailable')
  }

  function start(): () => void {
    const ends = [
      ports.channel.onMessage(queue.forget),
      ports.onStorageChange((key) => {
        if (key !== stateKey) return
        state.refresh()
        ports.onIdentityFound('tab')
      }),
      lifecycle.onWake((cause) => {
        if (cause !== 'online') {
          isHidden = false
          leaving = undefined
        }
        delivery.wake()
      }),
      lifecycle.onHidden(() => {
        isHidden = true
        delivery.wake()
      }),
      lifecycle.onUnload(() => {
        isHidden = true
        leave(queue.unacknowledged())
        delivery.release()
      }),
    ]
    open().catch((error: unknown) => logger.warn('start failed:', error))
    return () => {
      for (const end of ends) end()
    }
  }

  return {
    state,
    capture(name, properties, captureOptions) {
      try {
        return capture(name, properties, captureOptions)
      } catch (error) {
        logger.warn('capture failed:', error)
        const timestamp = new Date(clock.now()).toISOString()
        const { distinctId } = state.current()
        drop({ uuid: '', event: name, distinct_id: distinctId, timestamp, properties }, 'invalid_event')
        return false
      }
    },
    sessionId() {
      const session = state.sessionAt(clock.now())
      state.saveSession(session)
      return session.id
    },
    start,
    flush: () => delivery.flush(),
    async shutdown(timeoutMs) {
      isClosed = true
      let cancel = (): void => undefined
      const isLate = new Promise<boolean>((resolve) => {
        cancel = clock.after(timeoutMs, () => resolve(true))
      })
      if (await Promise.race([delivery.flush(), isLate]))
        logger.warn('shutdown: time ran out; what is left stays in the store')
      cancel()
      delivery.stop()
      await Promise.race([queue.settle(), isLate])
      store.close()
    },
  }
}

/** A copy of what the caller handed over, also when one of its getters throws. */
function readable(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return { ...properties }
  } catch {
    return JSON.parse(serialise(properties)) as Record<string, unknown>
  }
}
