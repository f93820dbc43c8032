import type { Compressor } from '../port/compressor.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { Lease } from '../port/lease.ts'
import type { Send } from '../port/send.ts'
import { BATCH_MAX_LENGTH, UNLOAD_MAX_BYTES } from '../wire/limits.ts'
import { batchBody, takeBatch } from './batch.ts'
import type { BeaconLease } from './beacon-lease.ts'
import type { DropReason } from './drop-reason.ts'
import { encode } from './encode.ts'
import type { Encoding } from './encoded-body.ts'
import type { EventQueue } from './event-queue.ts'
import { createJudge } from './judge.ts'
import type { JudgeOptions, JudgePorts } from './judge.ts'
import { createRounds, DONE } from './rounds.ts'
import type { PassEnd, Rounds, RoundsOptions, RoundsPorts } from './rounds.ts'

export interface DeliveryOptions extends RoundsOptions, JudgeOptions {
  readonly url: string
  readonly apiKey: string
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

/** `mayDeliver`: false while opted out, surely offline, or after the page was left. */
export interface DeliveryPorts extends RoundsPorts, JudgePorts {
  readonly queue: EventQueue
  /** Resolves when all that was captured or removed before is on disk. */
  readonly written: () => Promise<void>
  readonly beaconLease: BeaconLease
  readonly send: Send
  readonly compressor: Compressor
  readonly lease: Lease
  readonly supportedCompression: () => readonly string[] | undefined
  readonly onAcknowledged: (keys: readonly string[]) => void
  readonly onDrop: (json: string, reason: DropReason) => void
  readonly onSend: (report: SendReport) => void
}

/**
 * `wake`: at start, online again, visible again, hidden. `flush` also ends when only events are left that a beacon has taken along in the
 * last 30 s.
 */
export interface Delivery extends Pick<Rounds, 'added' | 'wake' | 'flush' | 'stop'> {
  /** Gives the lease back while a request may still be under way: a page that holds a lock cannot enter the back/forward cache. */
  release(): void
  /** Keys of the events in a request under way that outlives the page, as a beacon does. */
  flying(): readonly string[]
}

/** Chromium tells a page that its request has failed right before it leaves, though a keepalive request goes on. */
const FLYING_MS = 1_000

/**
 * Brings the queue to the service, oldest first, one request at a time and one tab at a time. A retryable failure never removes an
 * event; all tabs share its back-off.
 */
export const createDelivery = (options: DeliveryOptions, ports: DeliveryPorts): Delivery => {
  const { clock, queue, nextTry, beaconLease, lease } = ports
  const rounds = createRounds(options, ports, (isForced) => pass(isForced))
  const { batchSize, judge } = createJudge(options, ports)
  let letGo = (): void => undefined
  let flying: readonly string[] = []
  let flyingUntil = 0
  // The oldest event, and how often the service has failed, when the lease was first found taken, pass after pass; undefined after any other pass.
  let seen: { readonly key: string; readonly at: number } | undefined

  const pass = async (isForced?: boolean): Promise<PassEnd> => {
    const before = seen
    seen = undefined
    if (!rounds.mayGoOn()) return DONE
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

  const drain = async (): Promise<PassEnd> => {
    for (;;) {
      rounds.isMore()
      await ports.written()
      if (!rounds.mayGoOn()) return DONE
      const leased = beaconLease.keys(clock.now())
      const oldest = await queue.oldest(batchSize() + leased.size)
      const free = oldest.filter(({ key }) => !leased.has(key)).slice(0, batchSize())
      const batch = takeBatch(free, BATCH_MAX_LENGTH)
      if (batch.length) {
        const end = await settle(batch)
        if (end) return end
      } else if (!rounds.isMore()) {
        if (oldest.length) rounds.schedule(beaconLease.remainingMs(clock.now()))
        return DONE
      }
    }
  }

  /** Sends one batch and acts on the answer. Undefined: go on with the next one. */
  const settle = async (batch: readonly StoreRecord[]): Promise<PassEnd | undefined> => {
    const { url, apiKey } = options
    const keys = batch.map(({ key }) => key)
    const events = batch.map((record) => record.value)
    const json = batchBody(apiKey, events, clock.now(), options.historicalMigration)
    const { body, contentType, ...sizes } = await encode(
      json,
      ports.supportedCompression(),
      options.disableCompression,
      ports.compressor,
    )
    // Compression takes its time: a page that was left meanwhile has handed these to its beacon.
    if (!rounds.mayGoOn()) return DONE
    // A page may be left at any time; what goes on without it need not be sent by its beacon.
    const keepalive = sizes.bytesAfter <= UNLOAD_MAX_BYTES
    flying = keepalive ? keys : []
    flyingUntil = Infinity
    const answer = await ports.send({ url, body, contentType, timeoutMs: options.requestTimeout, keepalive })
    const { status } = answer
    flyingUntil = status ? 0 : clock.now() + FLYING_MS
    ports.onSend({ url, events: keys.length, status, ...sizes })

    return judge(answer, keys.length, (fate) => {
      queue.remove(keys)
      ports.onAcknowledged(keys)
      if (fate !== 'accepted') for (const json of events) ports.onDrop(json, fate)
    })
  }

  return {
    ...rounds,
    release: () => letGo(),
    flying: () => (clock.now() < flyingUntil ? flying : []),
  }
}
