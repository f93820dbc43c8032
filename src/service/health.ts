import { sql } from 'kysely'
import type { BodyBudget } from './http/body-budget.ts'
import type { Indexer, IndexerStatus } from './indexer/indexer.ts'
import type { EventCuts } from '../wire/check-event.ts'
import type { BodyReader } from './ingest/body-reader.ts'
import type { DropCounts } from './ingest/event-losses.ts'
import type { LossReporter } from './ingest/loss-reporter.ts'
import type { Backlog, Inbox } from './store/inbox/inbox.ts'
import { NO_BACKLOG } from './store/inbox/inbox.ts'
import type { Metadata } from './store/metadata/open.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Response body of `GET /healthz`. */
export interface Health {
  readonly status: 'ok' | 'failing'
  /** Whether the inbox can be written; without it no event is acknowledged. */
  readonly inbox: PartHealth
  /** Whether the metadata can be queried; without it no key is recognised and no flag evaluated. */
  readonly metadata: PartHealth
  /** Whether the indexer runs and events get from the inbox into the event store; without it events wait and queries fail. */
  readonly store: PartHealth
  readonly indexer: {
    /** Events that are acknowledged but not yet queryable. */
    readonly behindEvents: number
    /** Requests that have them. */
    readonly behindRows: number
    /** Age of the oldest of them. */
    readonly behindSeconds: number
    /** Requests with events that cannot be stored and were quarantined, since the service started. */
    readonly rejected: number
  }
  /** What is not stored of the events of accepted requests, since the service started. A request that is sent again counts again. */
  readonly events: {
    /** Events that are not stored, by reason. */
    readonly dropped: DropCounts
    /** What the bounds took from events that are stored: names that were cut, properties and groups that were left out. */
    readonly cut: EventCuts
  }
  /** Request bodies in memory. */
  readonly bodies: {
    /** Bytes in use or reserved. */
    readonly heldBytes: number
    /** Above this, bodies are rejected with 503: `maxBufferedBytes`, but at least room for one body of the largest size. */
    readonly limitBytes: number
    /** Large bodies that are being decoded, or wait for it; they are decoded one after the other. */
    readonly waiting: number
  }
}

export interface PartHealth {
  readonly ok: boolean
  /** What is wrong, why a part of the work waits, or what was lost; or null. */
  readonly detail: string | null
}

/** The parts that are checked by using them. */
type StorageHealth = Pick<Health, 'inbox' | 'metadata'>

/** Dependencies of the health check. */
export interface HealthParts {
  readonly inbox: Inbox
  readonly metadata: Metadata
  readonly indexer: Indexer
  readonly bodyBudget: Pick<BodyBudget, 'usedBytes' | 'limitBytes'>
  readonly bodyReader: Pick<BodyReader, 'pendingCount'>
  readonly lossReporter: Pick<LossReporter, 'totals'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * How long the result for inbox and metadata is cached: the check writes to the disk, and the path is public. The indexer and
 * the backlog are checked at every request.
 */
const STORAGE_CACHE_TTL_MS = 1000

/** Longest wait for the metadata. */
const MAX_CHECK_MS = 2_000

/** If rows wait this long and the indexer stores none, it hangs: even a full batch takes only a second. */
const STALLED_AFTER_MS = 30_000

/** Creates the health check. It compares the indexer's position between calls to detect a stalled indexer. */
export const createHealthCheck = ({
  inbox,
  metadata,
  indexer,
  bodyBudget,
  bodyReader,
  lossReporter,
  now,
}: HealthParts): (() => Promise<Health>) => {
  const checkStorage = async (nowMs: number): Promise<StorageHealth> => ({
    inbox: await checkPart(() => inbox.probe(nowMs)),
    metadata: await checkPart(() => waitAtMost(sql`select 1`.execute(metadata), MAX_CHECK_MS)),
  })

  let lastProgress = { position: indexer.status().position, timestampMs: now() }
  /** Returns null while the indexer stores rows or moves events, or while no row has waited for long. */
  const detectStall = (nowMs: number, { position, moving }: IndexerStatus, waitedMs: number): PartHealth | null => {
    if (position !== lastProgress.position || moving !== null || nowMs < lastProgress.timestampMs)
      lastProgress = { position, timestampMs: nowMs }
    const stalledMs = Math.min(waitedMs, nowMs - lastProgress.timestampMs)
    if (stalledMs < STALLED_AFTER_MS) return null
    return {
      ok: false,
      detail: `Events wait, but the indexer has stored none for ${Math.floor(stalledMs / 1000)} seconds.`,
    }
  }

  let cachedCheck: { readonly startedMs: number; readonly storage: Promise<StorageHealth> } | null = null
  return async () => {
    const nowMs = now()
    if (cachedCheck === null || nowMs - cachedCheck.startedMs >= STORAGE_CACHE_TTL_MS || nowMs < cachedCheck.startedMs)
      cachedCheck = { startedMs: nowMs, storage: checkStorage(nowMs) }
    const storage = await cachedCheck.storage
    const indexing = indexer.status()
    const { position, rejected, alive, isBeingReplaced, failure, moving, notice } = indexing
    const backlog = readBacklog(inbox, position)
    const waitedMs = backlog.oldestReceivedAt === null ? 0 : Math.max(0, nowMs - backlog.oldestReceivedAt)
    const stall = detectStall(nowMs, indexing, waitedMs)
    const isRunning = alive || isBeingReplaced
    const store = {
      ok: isRunning && failure === null,
      detail: failure ?? (isRunning ? (moving ?? notice) : 'The indexer does not respond: it hangs or is restarting.'),
    }
    const parts = { ...storage, store: store.ok && stall !== null ? stall : store }
    return {
      status: Object.values(parts).every(({ ok }) => ok) ? 'ok' : 'failing',
      ...parts,
      indexer: {
        behindEvents: backlog.events,
        behindRows: backlog.rows,
        behindSeconds: waitedMs / 1000,
        rejected,
      },
      events: lossReporter.totals(),
      bodies: {
        heldBytes: bodyBudget.usedBytes(),
        limitBytes: bodyBudget.limitBytes,
        waiting: bodyReader.pendingCount(),
      },
    }
  }
}

const checkPart = async (use: () => unknown): Promise<PartHealth> => {
  try {
    await use()
    return { ok: true, detail: null }
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

const readBacklog = (inbox: Inbox, position: number): Backlog => {
  try {
    return inbox.backlogAfter(position)
  } catch {
    // The health of the inbox reports this error.
    return NO_BACKLOG
  }
}
