import type { Channel } from '../port/channel.ts'
import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lease } from '../port/lease.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import type { Beacon, Send } from '../port/send.ts'
import { batchBody } from './batch.ts'
import { createBeaconLease } from './beacon-lease.ts'
import { createDelivery } from './delivery.ts'
import type { DeliveryOptions, SendReport } from './delivery.ts'
import type { DropReason } from './drop-reason.ts'
import { encodeSync } from './encode.ts'
import { createEventQueue } from './event-queue.ts'
import type { QueueBounds } from './event-queue.ts'
import { createNextTry } from './next-try.ts'
import { STATE_KEY } from './record-key.ts'
import type { StateKeeper } from './state-keeper.ts'
import { parseState, STATE } from './state.ts'
import type { State } from './state.ts'
import { readSpill, sendBeacon, shrinkSpill, SPILL, SPILLS, writeSpill } from './unload.ts'
import type { Taken } from './unload.ts'
import { createWriteBehind } from './write-behind.ts'

/** Events wait at most so long for the stored identity before their first write. */
const RECONCILE_MAX_MS = 1_000

export interface OutboxOptions extends DeliveryOptions, QueueBounds {
  readonly onSend: (report: SendReport) => void
}

export interface OutboxPorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  /** In [0, 1). */
  readonly random: () => number
  readonly storage: KeyValue
  /** Calls back when another tab has changed a key of `storage`. */
  readonly onStorageChange: (listener: (key: string) => void) => () => void
  /**
   * Opens the shared store; may reject, then memory serves. Undefined: nothing shall be stored beyond the page.
   *
   * @param onLost To be called when the store was deleted while it was open.
   */
  readonly openStore: (onLost: () => void) => Promise<EventStore | undefined>
  readonly lease: Lease
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

/** Where events wait for delivery, through all that happens to the page: the store opens, the page is hidden, left and restored, the agent is shut down. */
export interface Outbox {
  isClosed(): boolean
  /** Takes an event in its final form. */
  accept(json: string): void
  /** Puts the state's durable copy into this turn's transaction, and tells the other tabs. */
  persist(json: string): void
  start(): () => void
  flush(): Promise<void>
  /** Refuses further events, delivers what waits within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

/**
 * The second half of an event's way: from its final JSON to the service.
 *
 * @param keeper Answers the state; it is made after this, for it persists through this.
 * @param drop Reports an event, given as JSON, that will never be delivered.
 */
export const createOutbox = (
  options: OutboxOptions,
  ports: OutboxPorts,
  keeper: () => StateKeeper,
  drop: (json: string, reason: DropReason) => void,
): Outbox => {
  const { clock, lifecycle, logger, storage } = ports
  const tab = ports.newId(clock.now()).slice(-6)
  const spillKey = SPILL + tab.slice(-1)
  let isClosed = false
  // Set while the page goes away: no event-loop turn may follow, so that a capture has to be looked after at once.
  let leaving: Taken | undefined
  // A page that comes back has lost nothing yet.
  let mayReturn = false

  const store = createWriteBehind(
    // What was begun before is still answered by the old store, and would count as held by the new one.
    () => ports.openStore(() => void store.written().then(queue.rewrite)),
    clock,
    (error) => logger.warn(`events are only held in memory (storage_unavailable: ${String(error)})`),
  )
  const onSend = (report: SendReport): void => {
    try {
      options.onSend(report)
    } catch (error) {
      logger.warn('onSend failed:', error)
    }
  }
  const isOptedOut = (): boolean => keeper().current().isOptedOut

  const queue = createEventQueue(store, clock, tab, options, ports.lease, (json) => drop(json, 'queue_overflow'))
  const beaconLease = createBeaconLease(storage, 'left')
  const nextTry = createNextTry(storage, 'next')
  const delivery = createDelivery(options, {
    ...ports,
    beaconLease,
    queue,
    written: store.written,
    nextTry,
    // A page that has left sees no answer any more.
    mayDeliver: () => !leaving && !isOptedOut() && lifecycle.isOnline(),
    onAcknowledged: ports.channel.post,
    onDrop: drop,
    onSend,
    warn: logger.warn,
  })

  const storedState = async (): Promise<State | undefined> => {
    const [stored] = await store.read(STATE_KEY, `${STATE_KEY}~`, 1)
    return parseState(stored?.value)
  }

  const open = async (): Promise<void> => {
    const cancel = clock.after(RECONCILE_MAX_MS, () => {
      queue.release()
      void takeSpill()
    })
    await store.opened()
    const stored = await storedState()
    cancel()
    const remade = keeper().reconcile(stored)
    queue.release(remade && ((json) => (remade.events.has(json) ? remade.events.get(json) : json)))
    if (remade) ports.onIdentityFound('store')
    await takeSpill()
  }

  /** Moves into the store what pages that went away have left beside it. */
  const takeSpill = async (): Promise<void> => {
    const spills = SPILLS.map((key) => ({ key, records: readSpill(storage, key) }))
    const spilled = spills.flatMap(({ records }) => records)
    if (spilled.length) {
      queue.restore(spilled)
      await store.written()
      // A page that was left meanwhile has spilled them again, where the store refuses them.
      if (!leaving) for (const { key, records } of spills) if (records.length) shrinkSpill(storage, key, records)
    }
    await queue.measure()
    delivery.wake()
  }

  /** Last synchronous work of the page: writes begin, a beacon takes what it can, and what neither holds spills to the page's synchronous storage. */
  const leave = (waiting: readonly StoreRecord[]): void => {
    // A keepalive request outlives the page as a beacon does, and its answer is not seen either.
    leaving ??= { keys: delivery.flying(), bytes: 0 }
    if (store.isOpen()) queue.release()
    store.write()
    const now = clock.now()
    const before = new Set([...leaving.keys, ...beaconLease.keys(now)])
    // The service has asked for a pause: only what nothing else may hold goes out.
    const isPause = nextTry.remainingMs(now, true) > 0
    const { url } = options
    leaving = sendBeacon(
      isOptedOut() ? [] : waiting.filter(({ key }) => !before.has(key) && !(isPause && store.holds(key))),
      leaving,
      (batch) => {
        const events = batch.map((record) => record.value)
        const json = batchBody(options.apiKey, events, now, options.historicalMigration)
        return encodeSync(json, ports.supportedCompression(), options.disableCompression)
      },
      ({ body, contentType, ...sizes }, { length: events }) => {
        const isTaken = ports.beacon(url, body, contentType)
        if (isTaken) onSend({ url, events, status: undefined, ...sizes })
        return isTaken
      },
    )
    if (leaving.keys.length) beaconLease.take(now, leaving.keys)
    // A transaction that has to wait for another one, as right after the opening, is aborted with the page.
    spill(waiting, new Set(leaving.keys))
  }

  /** Keeps for the next page what the store does not hold: first what nothing else may have taken along. */
  const spill = (waiting: readonly StoreRecord[], taken: ReadonlySet<string>): void => {
    const unstored = waiting
      .filter(({ key }) => !store.holds(key))
      .sort((one, other) => Number(taken.has(one.key)) - Number(taken.has(other.key)))
    if (!unstored.length) return
    for (const { key, value } of writeSpill(storage, spillKey, unstored)) {
      if (!mayReturn && !store.isSafe() && !taken.has(key)) drop(value, 'storage_unavailable')
    }
    // Only where the page lives on.
    void store.written().then(() => store.isSafe() && shrinkSpill(storage, spillKey, unstored))
  }

  const start = (): (() => void) => {
    const ends = [
      ports.channel.onMessage((message) =>
        message[0] === STATE_KEY ? keeper().refresh(parseState(message[1])) : queue.forget(message),
      ),
      ports.onStorageChange((key) => {
        // A page may still be going away when the next one has started.
        if (SPILLS.includes(key)) void takeSpill()
        if (key === STATE) keeper().refresh()
      }),
      lifecycle.onWake((cause) => {
        if (cause !== 'online') {
          leaving = undefined
          mayReturn = false
        }
        keeper().refresh()
        void storedState().then(keeper().refresh)
        void queue.measure()
        delivery.wake()
      }),
      lifecycle.onHidden(delivery.wake),
      lifecycle.onUnload((isKept) => {
        mayReturn = isKept
        leave(queue.unacknowledged())
        delivery.release()
      }),
    ]
    clock.defer(() => void open().catch((error: unknown) => logger.warn('start failed:', error)))
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
    persist(json) {
      store.put(STATE_KEY, json)
      // Tabs with a session storage each share this copy alone: who knows an older one must not write it over this.
      if (store.isSafe()) ports.channel.post([STATE_KEY, json])
    },
    start,
    flush: () => delivery.flush(),
    async shutdown(timeoutMs) {
      isClosed = true
      let cancel = (): void => undefined
      const tooLate = new Promise<void>((resolve) => {
        cancel = clock.after(timeoutMs, resolve)
      })
      await Promise.race([delivery.flush(true).then(store.written), tooLate])
      cancel()
      delivery.stop()
      const left = queue.unacknowledged()
      if (left.length) {
        logger.warn(
          `shutdown: ${left.length} events are not delivered; what the browser can store waits for the next start`,
        )
        spill(left, new Set())
      }
      store.close()
    },
  }
}
