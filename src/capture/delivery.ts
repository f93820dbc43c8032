import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { Lease } from '../port/lease.ts'
import type { Send } from '../port/send.ts'
import { BATCH_MAX_LENGTH, UNLOAD_MAX_BYTES } from '../wire/limits.ts'
import { retryAfterMs } from '../wire/retry-after.ts'
import { BACKOFF_MAX_MS, backoffMs } from './backoff.ts'
import { batchBody, takeBatch } from './batch.ts'
import type { BeaconLease } from './beacon-lease.ts'
import type { DropReason } from './drop-reason.ts'
import { encode, type Encoding } from './encode.ts'
import type { EventQueue } from './event-queue.ts'
import type { NextTry } from './next-try.ts'
import { outcomeOf } from './outcome.ts'

export interface DeliveryOptions {
  readonly url: string
  readonly apiKey: string
  readonly flushAt: number
  readonly flushInterval: number
  readonly maxBatchSize: number
  readonly fetchRetryCount: number
  readonly fetchRetryDelay: number
  readonly requestTimeout: number
  readonly disableCompression: boolean
  readonly historicalMigration: boolean
}

/** One request as it went out, for those who want to watch (`onSend`). */
export interface SendReport {
  readonly url: string
  readonly encoding: Encoding
  readonly events: number
  /** Characters of JSON before compression. */
  readonly bytesBefore: number
  /** Bytes of the body that went out. */
  readonly bytesAfter: number
  /** HTTP status; 0 when no answer came. Undefined for a beacon, whose answer nobody sees. */
  readonly status: number | undefined
}

export interface DeliveryPorts {
  readonly clock: Clock
  readonly queue: EventQueue
  /** Resolves when all that was captured or removed before is on disk. */
  readonly written: () => Promise<void>
  readonly nextTry: NextTry
  readonly beaconLease: BeaconLease
  readonly send: Send
  readonly compressor: Compressor
  readonly lease: Lease
  /** In [0, 1). */
  readonly random: () => number
  readonly supportedCompression: () => readonly string[] | undefined
  /** False while nothing may leave: opted out, surely offline, or the page has been left. */
  readonly mayDeliver: () => boolean
  readonly onAcknowledged: (keys: readonly string[]) => void
  readonly onDrop: (json: string, reason: DropReason) => void
  readonly onSend: (report: SendReport) => void
  readonly warn: (message: string) => void
}

export interface Delivery {
  /** Counts one captured event: delivers at `flushAt` of them, or `flushInterval` after the first. */
  added(): void
  /** Delivers now, back-off or not, unless a `Retry-After` runs: at start, online again, visible again, hidden. */
  wake(): void
  /**
   * Delivers all that waits; callers at the same time join. Resolves, never rejects, when nothing waits any more, when nothing may leave
   * (offline, opted out), when only events are left that a beacon has taken along in the last 30 s, when `fetchRetryCount` retries have failed, or when the next try is more than 30 s away (a long back-off or
   * `Retry-After`); what is left stays queued and goes on with the back-off.
   *
   * @param isForced Try at once although a back-off of our own runs; a `Retry-After` is respected all the same.
   */
  flush(isForced?: boolean): Promise<void>
  /** Gives the lease back while a request may still be under way: a page that holds a lock cannot enter the back/forward cache. */
  release(): void
  /** Keys of the events in a request under way that outlives the page, as a beacon does. */
  flying(): readonly string[]
  /** Ends all timers; nothing is delivered after that. */
  stop(): void
}

/** How a pass over the queue ended. */
interface PassEnd {
  /** After how many milliseconds the next one makes sense; Infinity when it takes another reason than time. */
  readonly waitMs: number
  /** Another tab delivers. */
  readonly isBusy?: boolean
}

/** While another tab delivers, this one looks again after so many milliseconds when somebody waits for it (`flush`). */
const BUSY_MS = 200

/** `flush()` does not wait for a try that is farther away. */
const FLUSH_WAIT_MAX_MS = 30_000

/** Chromium tells a page that its request has failed right before it leaves, though a keepalive request goes on. */
const FLYING_MS = 1_000

const DONE: PassEnd = { waitMs: Infinity }

/**
 * Brings the queue to the service, oldest first, one request at a time and one tab at a time. A retryable failure never removes an
 * event; all tabs share its back-off.
 */
export function createDelivery(options: DeliveryOptions, ports: DeliveryPorts): Delivery {
  const { clock, queue, nextTry, beaconLease, lease } = ports
  let batchSize = options.maxBatchSize
  let added = 0
  let isStopped = false
  // The next pass does not wait for our own back-off.
  let isUrgent: boolean | undefined
  // Each page tells of an outage, also of one that others met before it.
  let isDown = false
  let running: Promise<PassEnd> | undefined
  let flushing: Promise<void> | undefined
  let waiting: ((end: PassEnd) => void)[] = []
  let dueAt = Infinity
  let cancelTimer = (): void => undefined
  let letGo = (): void => undefined
  let flying: readonly string[] = []
  let flyingUntil = 0
  // The oldest event, and how often the service has failed, when the lease was first found taken, pass after pass; undefined after any other pass.
  let seen: { readonly key: string; readonly at: number } | undefined

  const mayGoOn = (): boolean => !isStopped && ports.mayDeliver()

  function schedule(delayMs: number): void {
    const at = clock.now() + delayMs
    if (isStopped || at >= dueAt) return
    cancelTimer()
    dueAt = at
    cancelTimer = clock.after(delayMs, () => {
      dueAt = Infinity
      void deliver()
    })
  }

  function tell(end: PassEnd): void {
    for (const resolve of waiting.splice(0)) resolve(end)
  }

  /** One pass; a call during a pass joins it. */
  function deliver(): Promise<PassEnd> {
    running ??= pass()
      .catch((error: unknown) => {
        ports.warn(`delivery failed: ${String(error)}`)
        return { waitMs: BACKOFF_MAX_MS }
      })
      .then((end) => {
        running = undefined
        schedule(end.waitMs)
        tell(end)
        return end
      })
    return running
  }

  /**
   * A pass that is under way may be failing just now, for a network that has come back since: the next one counts, and all who have waited for
   * it join.
   */
  async function deliverAfresh(isForced?: boolean): Promise<PassEnd> {
    isUrgent ||= isForced
    if (running) await running
    return deliver()
  }

  async function pass(): Promise<PassEnd> {
    const isForced = isUrgent
    isUrgent = false
    const before = seen
    seen = undefined
    if (!mayGoOn()) return DONE
    const waitMs = nextTry.remainingMs(clock.now(), isForced)
    if (waitMs) return { waitMs }
    let work: Promise<PassEnd> | undefined
    const task = (): Promise<unknown> => {
      work = drain()
      return Promise.race([work, new Promise<void>((resolve) => (letGo = resolve))])
    }
    if (!(await lease(task))) {
      const [oldest] = await queue.oldest(1)
      const at = clock.now()
      const key = `${oldest?.key} ${nextTry.failures()}`
      seen = before?.key === key && before.at <= at ? before : { key, at }
      // Two requests of the holder had time to end, and it has not moved.
      if (at - seen.at >= 2 * options.requestTimeout) await lease(task, true)
    }
    return work ?? { waitMs: options.flushInterval, isBusy: true }
  }

  async function drain(): Promise<PassEnd> {
    for (;;) {
      added = 0
      await ports.written()
      if (!mayGoOn()) return DONE
      const leased = beaconLease.keys(clock.now())
      const oldest = await queue.oldest(batchSize + leased.size)
      const free = oldest.filter(({ key }) => !leased.has(key)).slice(0, batchSize)
      const batch = takeBatch(free, BATCH_MAX_LENGTH)
      if (batch.length) {
        const end = await settle(batch)
        if (end) return end
      } else if (!added) {
        if (oldest.length) schedule(beaconLease.remainingMs(clock.now()))
        return DONE
      }
    }
  }

  /** Sends one batch and acts on the answer. Undefined: go on with the next one. */
  async function settle(batch: readonly StoreRecord[]): Promise<PassEnd | undefined> {
    const { url, apiKey } = options
    const keys = batch.map(({ key }) => key)
    const json = batchBody(apiKey, batch, clock.now(), options.historicalMigration)
    const { body, contentType, ...sizes } = await encode(
      json,
      ports.supportedCompression(),
      options.disableCompression,
      ports.compressor,
    )
    // Compression takes its time: a page that was left meanwhile has handed these to its beacon.
    if (!mayGoOn()) return DONE
    // A page may be left at any time; what goes on without it need not be sent by its beacon.
    const keepalive = sizes.bytesAfter <= UNLOAD_MAX_BYTES
    flying = keepalive ? keys : []
    flyingUntil = Infinity
    const answer = await ports.send({ url, body, contentType, timeoutMs: options.requestTimeout, keepalive })
    const { status } = answer
    flyingUntil = status ? 0 : clock.now() + FLYING_MS
    ports.onSend({ url, events: keys.length, status, ...sizes })

    const outcome = outcomeOf(answer)
    const now = clock.now()
    if (outcome === 'retry' || outcome === 'wait') {
      const failures = nextTry.failures() + 1
      const ownMs = outcome === 'wait' ? BACKOFF_MAX_MS : backoffMs(failures, options.fetchRetryDelay, ports.random())
      const askedMs = retryAfterMs(answer.retryAfter, now)
      nextTry.failed(now, ownMs, askedMs)
      if (!isDown) ports.warn(`the service cannot be reached (status ${status}); events are kept and sent again`)
      isDown = true
      return { waitMs: Math.max(ownMs, askedMs) }
    }
    nextTry.succeeded()
    isDown = false
    if (outcome === 'too_large' && keys.length > 1) {
      if (batchSize === options.maxBatchSize) {
        ports.warn(`${keys.length} events are too large for one request; sending fewer from now on`)
      }
      batchSize = keys.length >> 1
      return undefined
    }
    queue.remove(keys)
    ports.onAcknowledged(keys)
    if (outcome !== 'accepted') {
      for (const { value } of batch) ports.onDrop(value, outcome)
    }
    return undefined
  }

  async function flush(isForced?: boolean): Promise<void> {
    let end = await deliverAfresh(isForced)
    for (let retries = options.fetchRetryCount; ; end = await new Promise((resolve) => waiting.push(resolve))) {
      if (end.isBusy) schedule(BUSY_MS)
      else if (end.waitMs > FLUSH_WAIT_MAX_MS || retries-- <= 0) return
    }
  }

  return {
    added() {
      if (++added >= options.flushAt) clock.defer(() => void deliver())
      else schedule(options.flushInterval)
    },
    wake: () => void deliverAfresh(true),
    flush(isForced) {
      flushing ??= flush(isForced).finally(() => {
        flushing = undefined
      })
      return flushing
    },
    release: () => letGo(),
    flying: () => (clock.now() < flyingUntil ? flying : []),
    stop() {
      isStopped = true
      cancelTimer()
      tell(DONE)
    },
  }
}
