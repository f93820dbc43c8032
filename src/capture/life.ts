import type { Channel } from '../port/channel.ts'
import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lease } from '../port/lease.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import type { Beacon, Send } from '../port/send.ts'
import { BEACON_LEASE_MS, readControls } from './controls.ts'
import { createDelivery, type DeliveryOptions, type SendReport } from './delivery.ts'
import type { DropReason } from './drop-reason.ts'
import { encodeSync, type EncodedBody } from './encode.ts'
import { createEventQueue, type QueueBounds, type Waiting } from './event-queue.ts'
import { createFallbackStore } from './fallback-store.ts'
import { LEASE_PREFIX, STATE_KEY } from './record-key.ts'
import type { StateKeeper } from './state-keeper.ts'
import { readSpill, sendBeacons, shrinkSpill, writeSpill, type Taken } from './unload.ts'

/** Events wait at most so long for the stored identity before their first write. */
const RECONCILE_MAX_MS = 1_000

export interface LifeOptions extends DeliveryOptions, QueueBounds {
  readonly onSend: (report: SendReport) => void
}

export interface LifePorts {
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
  readonly supportedCompression: () => readonly string[] | undefined
  /** The user may be another one by no call of this page: another tab has changed it, or a stored copy was found late. */
  readonly onIdentityFound: (source: 'tab' | 'store') => void
}

/** The page's life as the waiting events feel it: the store opens, the page is hidden, left and restored, the agent is shut down. */
export interface Life {
  isClosed(): boolean
  /** Takes an event in its final form. */
  accept(json: string): void
  /** Puts the state's durable copy into this turn's transaction. */
  persist(json: string): void
  start(): () => void
  flush(): Promise<void>
  /** Refuses further events, delivers what waits within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

/**
 * The second half of an event's way: from its final JSON to the service.
 *
 * @param stateKey Where the state is kept in `storage`; the spill lies beside it.
 * @param keeper Answers the state; it is made after this, for it persists through this.
 * @param drop Reports an event, given as JSON, that will never be delivered.
 */
export function createLife(
  options: LifeOptions,
  ports: LifePorts,
  stateKey: string,
  keeper: () => StateKeeper,
  drop: (json: string, reason: DropReason) => void,
): Life {
  const { clock, lifecycle, logger, storage } = ports
  const tab = ports.newId(clock.now()).slice(-6)
  const spillKey = `${stateKey}_spill`
  let isClosed = false
  // Set while the page goes away: no event-loop turn may follow, so that a capture has to be looked after at once.
  let leaving: Taken | undefined

  const store = createFallbackStore(ports.openStore(), ports.memoryStore, (error) =>
    logger.warn(
      `IndexedDB is not available; events are held in memory and die with the page (storage_unavailable: ${String(error)})`,
    ),
  )
  const onSend = (report: SendReport): void => {
    try {
      options.onSend(report)
    } catch (error) {
      logger.warn('onSend failed:', error)
    }
  }
  const isOptedOut = (): boolean => keeper().current().isOptedOut

  const queue = createEventQueue(store, clock, tab, options, (json) => drop(json, 'queue_overflow'))
  const delivery = createDelivery(options, {
    clock,
    store,
    queue,
    send: ports.send,
    compressor: ports.compressor,
    lease: ports.lease(store),
    random: ports.random,
    supportedCompression: ports.supportedCompression,
    // Once the page has left, the beacon has what it could take; answers to anything else would not be seen.
    mayDeliver: () => !leaving && !isOptedOut() && lifecycle.isOnline(),
    onAcknowledged: ports.channel.post,
    onDrop: drop,
    onSend,
    warn: logger.warn,
  })

  async function open(): Promise<void> {
    const cancel = clock.after(RECONCILE_MAX_MS, () => queue.release())
    const controls = await readControls(store)
    cancel()
    const remade = keeper().reconcile(controls.state)
    queue.release(remade && ((json) => (remade.has(json) ? remade.get(json) : json)))
    if (remade) ports.onIdentityFound('store')
    await takeSpill()
  }

  /** Moves into the store what pages that went away have left beside it. */
  async function takeSpill(): Promise<void> {
    const { records, keys, until } = readSpill(storage, spillKey)
    if (records.length) {
      queue.put(LEASE_PREFIX + until, JSON.stringify({ keys, until }))
      queue.restore(records)
      await queue.settle()
      shrinkSpill(storage, spillKey, records)
    }
    await queue.measure()
    delivery.wake()
  }

  /** Last synchronous work of the page: writes begin, a beacon takes what it can, and what neither holds spills to localStorage. */
  function leave(waiting: readonly Waiting[]): void {
    // A keepalive request outlives the page as a beacon does, and its answer is not seen either.
    leaving ??= { keys: [...delivery.flying()], bytes: 0 }
    const { keys } = leaving
    if (store.isOpen) queue.release()
    void queue.settle()
    const left = waiting.filter((record) => !keys.includes(record.key))
    if (!(left.length + keys.length) || isOptedOut()) return
    const now = clock.now()
    const request = {
      url: options.url,
      apiKey: options.apiKey,
      sentAt: new Date(now).toISOString(),
      historicalMigration: options.historicalMigration,
    }
    const encode = (json: string): EncodedBody =>
      encodeSync(json, ports.supportedCompression(), options.disableCompression)
    sendBeacons(left, request, ports.beacon, encode, onSend, leaving)
    const lease = { keys, until: now + BEACON_LEASE_MS }
    queue.put(LEASE_PREFIX + tab, JSON.stringify(lease))
    // A transaction that has to wait for another one, as right after the opening, is aborted with the page.
    const isTaken = ({ key }: StoreRecord): boolean => keys.includes(key)
    const unstored = waiting
      .filter((record) => !record.isStored)
      .map(({ key, value }) => ({ key, value }))
      .sort((one, other) => Number(isTaken(one)) - Number(isTaken(other)))
    for (const record of writeSpill(storage, spillKey, unstored, lease))
      if (!store.durable && !isTaken(record)) drop(record.value, 'storage_unavailable')
    // Only where the page lives on.
    void queue.settle().then(() => store.durable && shrinkSpill(storage, spillKey, unstored))
  }

  function start(): () => void {
    const ends = [
      ports.channel.onMessage(queue.forget),
      ports.onStorageChange((key) => {
        // A page may still be going away when the next one has started.
        if (key === spillKey) void takeSpill()
        if (key !== stateKey) return
        keeper().refresh()
        ports.onIdentityFound('tab')
      }),
      lifecycle.onWake((cause) => {
        if (cause !== 'online') leaving = undefined
        delivery.wake()
      }),
      lifecycle.onHidden(delivery.wake),
      lifecycle.onUnload(() => {
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
    isClosed: () => isClosed,
    accept(json) {
      const record = queue.add(json)
      if (leaving) leave([record])
      delivery.added()
    },
    persist: (json) => queue.put(STATE_KEY, json),
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
