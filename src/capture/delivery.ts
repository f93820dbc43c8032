import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'
import type { Lease } from '../port/lease.ts'
import type { Send, SendAnswer } from '../port/send.ts'
import { BATCH_MAX_BYTES, UNLOAD_MAX_BYTES } from '../wire/limits.ts'
import { BACKOFF_MAX_MS, backoffMs, remainingMs, RETRY_AFTER_MAX_MS, retryAfterMs } from './backoff.ts'
import { batchBody, takeBatch } from './batch.ts'
import { readControls, runningLeases, type NextTry } from './controls.ts'
import type { DropReason } from './drop-reason.ts'
import { encode, type Encoding } from './encode.ts'
import type { EventQueue } from './event-queue.ts'
import { outcomeOf } from './outcome.ts'
import { BEAT_KEY, NEXT_KEY } from './record-key.ts'

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
  readonly store: EventStore
  readonly queue: EventQueue
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
   * Delivers all that waits. Resolves, never rejects, when nothing waits any more, when nothing may leave (offline, opted out), or when
   * `fetchRetryCount` retries have failed; what is left stays queued and goes on with the back-off.
   */
  flush(): Promise<void>
  /** Gives the lease back while a request may still be under way: a page that holds a lock cannot enter the back/forward cache. */
  release(): void
  /** Keys of the events in a request under way that outlives the page, as a beacon does. */
  flying(): readonly string[]
  /** Ends all timers; nothing is delivered after that. */
  stop(): void
}

/** How a pass over the queue ended, and after how many milliseconds the next one makes sense. */
interface PassEnd {
  readonly result: 'done' | 'failed' | 'waiting' | 'busy' | 'closed'
  readonly nextMs?: number
}

/** While another tab delivers, this one looks again after so many milliseconds when somebody waits for it (`flush`). */
const BUSY_MS = 200

/** Chromium tells a page that its request has failed right before it leaves, though a keepalive request goes on. */
const FLYING_MS = 1_000

/** Two looks at a heartbeat that are to tell whether it moves lie at least so many milliseconds apart. */
const LOOK_MS = 2_000

/**
 * Brings the queue to the service, oldest first, one request at a time and one tab at a time. A retryable failure never removes an
 * event; its back-off is a control record, so that all tabs share it.
 */
export function createDelivery(options: DeliveryOptions, ports: DeliveryPorts): Delivery {
  const { clock, store, queue } = ports
  let batchSize = options.maxBatchSize
  let added = 0
  let running: Promise<PassEnd> | undefined
  let isStopped = false
  let dueAt = Infinity
  let cancelTimer: (() => void) | undefined
  let waiting: ((end: PassEnd) => void)[] = []
  let letGo = (): void => undefined
  let flying: readonly string[] = []
  let flyingUntil = 0
  let seenBeat: { readonly beatAt: number; readonly at: number } | undefined

  function schedule(delayMs: number): void {
    const at = clock.now() + delayMs
    if (isStopped || (cancelTimer && at >= dueAt)) return
    cancelTimer?.()
    dueAt = at
    cancelTimer = clock.after(delayMs, () => {
      cancelTimer = undefined
      void deliver(false)
    })
  }

  function tell(end: PassEnd): void {
    const told = waiting
    waiting = []
    for (const resolve of told) resolve(end)
  }

  const mayGoOn = (): boolean => !isStopped && ports.mayDeliver()

  /** One pass; a call during a pass joins it. */
  function deliver(isForced: boolean): Promise<PassEnd> {
    running ??= pass(isForced).then((end) => {
      running = undefined
      tell(end)
      if (end.nextMs !== undefined) schedule(end.nextMs)
      if (added && end.result === 'done') schedule(added < options.flushAt ? options.flushInterval : 0)
      return end
    })
    return running
  }

  async function pass(isForced: boolean): Promise<PassEnd> {
    added = 0
    if (!mayGoOn()) return { result: 'closed' }
    await queue.written()
    let end: PassEnd = { result: 'busy', nextMs: options.flushInterval }
    let work: Promise<void> | undefined
    const task = (): Promise<void> => {
      work = drain(isForced).then((drained) => {
        end = drained
      })
      return Promise.race([work, new Promise<void>((resolve) => (letGo = resolve))])
    }
    try {
      if (await ports.lease(task)) seenBeat = undefined
      else if (await isStuck()) await ports.lease(task, true)
      await work
    } catch (error) {
      ports.warn(`delivery failed: ${String(error)}`)
      return { result: 'failed', nextMs: BACKOFF_MAX_MS }
    }
    return end
  }

  /**
   * Whether the holder of the lease has stopped moving: its heartbeat is old, and the same as in an earlier look of this tab, for a
   * holder that has only begun has not shown one yet.
   */
  async function isStuck(): Promise<boolean> {
    const { beatAt } = await readControls(store)
    const now = clock.now()
    if (seenBeat?.beatAt !== beatAt) seenBeat = { beatAt, at: now }
    const longestMs = 2 * options.requestTimeout
    return !remainingMs(seenBeat.at + LOOK_MS, now, LOOK_MS) && !remainingMs(beatAt + longestMs, now, longestMs)
  }

  /** How the next pass ends. */
  async function nextEnd(): Promise<PassEnd> {
    return isStopped ? { result: 'closed' } : new Promise((resolve) => waiting.push(resolve))
  }

  async function drain(isForced: boolean): Promise<PassEnd> {
    const controls = await readControls(store)
    const { next } = controls
    const now = clock.now()
    const askedMs = next ? remainingMs(next.askedUntil, now, RETRY_AFTER_MAX_MS) : 0
    const ownMs = next && !isForced ? remainingMs(next.at, now, BACKOFF_MAX_MS) : 0
    if (askedMs || ownMs) return { result: 'waiting', nextMs: Math.max(askedMs, ownMs) }
    const leases = runningLeases(controls, now)
    if (leases.ended.length) await store.write(leases.ended.map((key) => ({ key, value: undefined })))
    let failures = next?.failures ?? 0
    let hasBackoff = !!next
    while (mayGoOn()) {
      const records = await queue.oldest(batchSize + leases.keys.size)
      const batch = takeBatch(
        records.filter((record) => !leases.keys.has(record.key)),
        batchSize,
        BATCH_MAX_BYTES,
      )
      if (!batch.length) return { result: 'done', ...(leases.keys.size && { nextMs: leases.remainingMs }) }
      const end = await settleBatch(batch, failures, hasBackoff)
      if (end) return end
      failures = 0
      hasBackoff = false
    }
    return { result: 'closed' }
  }

  /** Sends one batch and acts on the answer; an undefined answer means: go on with the next batch. */
  async function settleBatch(
    batch: readonly StoreRecord[],
    failures: number,
    hasBackoff: boolean,
  ): Promise<PassEnd | undefined> {
    const keys = batch.map((record) => record.key)
    const answer = await sendBatch(batch, keys)
    if (!answer) return { result: 'closed' }
    const outcome = outcomeOf(answer)
    if (outcome === 'retry' || outcome === 'wait') return backOff(answer, outcome === 'wait', failures + 1)
    if (hasBackoff) await store.write([{ key: NEXT_KEY, value: undefined }])
    if (outcome === 'too_large' && batch.length > 1) {
      batchSize = Math.max(1, batch.length >> 1)
      ports.warn(
        `the service found ${batch.length} events too large for one request; sending at most ${batchSize} from now on`,
      )
      return undefined
    }
    await queue.remove(keys)
    ports.onAcknowledged(keys)
    if (outcome !== 'accepted') {
      const reason = outcome === 'too_large' ? 'too_large' : 'rejected_by_service'
      for (const record of batch) ports.onDrop(record.value, reason)
    }
    return undefined
  }

  /** Undefined when nothing may leave any more. */
  async function sendBatch(batch: readonly StoreRecord[], keys: readonly string[]): Promise<SendAnswer | undefined> {
    const sentAt = clock.now()
    void store.write([{ key: BEAT_KEY, value: String(sentAt) }])
    const json = batchBody(options.apiKey, batch, new Date(sentAt).toISOString(), options.historicalMigration)
    const { body, contentType, encoding, bytes } = await encode(
      json,
      ports.supportedCompression(),
      options.disableCompression,
      ports.compressor,
    )
    // Compression takes its time: a page that was left meanwhile has handed these to its beacon.
    if (!mayGoOn()) return undefined
    // A page may be left at any time; what goes on without it need not be sent again at once.
    const keepalive = bytes <= UNLOAD_MAX_BYTES
    flying = keepalive ? keys : []
    flyingUntil = Infinity
    const answer = await ports.send({
      url: options.url,
      body,
      contentType,
      timeoutMs: options.requestTimeout,
      keepalive,
    })
    flyingUntil = answer.status ? 0 : clock.now() + FLYING_MS
    ports.onSend({
      url: options.url,
      encoding,
      events: batch.length,
      bytesBefore: json.length,
      bytesAfter: bytes,
      status: answer.status,
    })
    return answer
  }

  async function backOff(answer: SendAnswer, isForeign: boolean, failures: number): Promise<PassEnd> {
    const now = clock.now()
    const askedMs = retryAfterMs(answer.retryAfter, now)
    const ownMs = isForeign ? BACKOFF_MAX_MS : backoffMs(failures, options.fetchRetryDelay, ports.random())
    const next: NextTry = { at: now + ownMs, askedUntil: now + askedMs, failures }
    await store.write([{ key: NEXT_KEY, value: JSON.stringify(next) }])
    if (failures === 1) {
      ports.warn(`the service cannot be reached (status ${answer.status}); events are kept and sent again`)
    }
    return { result: 'failed', nextMs: Math.max(askedMs, ownMs) }
  }

  return {
    added() {
      if (++added >= options.flushAt) clock.defer(() => void deliver(false))
      else schedule(options.flushInterval)
    },
    wake() {
      // A pass that is under way may be failing just now, for a network that has come back since.
      void Promise.resolve(running).then(() => deliver(true))
    },
    async flush() {
      await running
      // Who calls while others wait out a back-off waits with them: more callers make no more requests.
      let end = await (waiting.length ? nextEnd() : deliver(true))
      for (let retries = options.fetchRetryCount; ; end = await nextEnd()) {
        if (end.result === 'busy') schedule(BUSY_MS)
        else if (end.result !== 'waiting' && (end.result !== 'failed' || retries-- <= 0)) return
      }
    },
    release: () => letGo(),
    flying: () => (clock.now() < flyingUntil ? flying : []),
    stop() {
      isStopped = true
      cancelTimer?.()
      tell({ result: 'closed' })
    },
  }
}
