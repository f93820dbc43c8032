import { sql } from 'kysely'
import type { BodyBudget } from './http/body-budget.ts'
import type { Indexer } from './indexer/indexer.ts'
import type { BodyReader } from './ingest/body-reader.ts'
import type { Inbox } from './store/inbox/inbox.ts'
import type { Metadata } from './store/metadata/open.ts'

/** Answer of `GET /healthz`. */
export interface Health {
  readonly status: 'ok' | 'failing'
  /** Takes writes: without it no event is acknowledged. */
  readonly inbox: PartHealth
  /** Answers queries: without it no key is known and no flag evaluated. */
  readonly metadata: PartHealth
  /** The event store and its process, and whether events get from the inbox into it: without it events wait and queries fail. */
  readonly store: PartHealth
  readonly indexer: {
    /** Requests that are acknowledged and not yet queryable. */
    readonly behindRows: number
    /** How long the oldest of them has waited. */
    readonly behindSeconds: number
    /** Requests that were set aside, whole or in part, since the service started: what is in them cannot be stored. */
    readonly rejected: number
  }
  /** Request bodies in memory. */
  readonly bodies: {
    /** Bytes that they hold, or were promised. */
    readonly heldBytes: number
    /** Bytes at which more are refused with 503: `maxBufferedBytes`, or room for one body of the largest size. */
    readonly limitBytes: number
    /** Large bodies that are being opened and checked, one after the other, or wait for that. */
    readonly waiting: number
  }
}

export interface PartHealth {
  readonly ok: boolean
  /** What is wrong, or null. */
  readonly detail: string | null
}

/** The health of what is tried by using it. */
type Parts = Pick<Health, 'inbox' | 'metadata'>

/** What the check looks at. */
export interface HealthParts {
  readonly inbox: Inbox
  readonly metadata: Metadata
  readonly indexer: Indexer
  readonly bodyBudget: Pick<BodyBudget, 'usedBytes' | 'limitBytes'>
  readonly bodyReader: Pick<BodyReader, 'waiting'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The parts are tried once per this time: the check writes to the disk, and anyone may ask. The indexer and the backlog are always looked at anew. */
const FRESH_MS = 1000

/** Rows that wait this long while none at all gets stored mean that the indexer hangs. A full batch takes a second. */
const STUCK_MS = 30_000

/** Makes the function that checks every part by using it; whether the indexer gets on is seen from call to call. */
export const createHealthCheck = ({
  inbox,
  metadata,
  indexer,
  bodyBudget,
  bodyReader,
  now,
}: HealthParts): (() => Promise<Health>) => {
  const tryParts = async (at: number): Promise<Parts> => ({
    inbox: await part(() => inbox.probe(at)),
    metadata: await part(() => sql`select 1`.execute(metadata)),
  })

  let moved = { position: indexer.status().position, at: now() }
  /** Null while rows get on, or none waits for long. */
  const stuck = (at: number, position: number, waitedMs: number): PartHealth | null => {
    if (position !== moved.position || at < moved.at) moved = { position, at }
    const ms = Math.min(waitedMs, at - moved.at)
    if (ms < STUCK_MS) return null
    return { ok: false, detail: `Events wait and none was stored for ${Math.floor(ms / 1000)} seconds.` }
  }

  let last: { readonly at: number; readonly parts: Promise<Parts> } | null = null
  return async () => {
    const at = now()
    if (last === null || at - last.at >= FRESH_MS || at < last.at) last = { at, parts: tryParts(at) }
    const tried = await last.parts
    const { position, rejected, alive, failure } = indexer.status()
    const backlog = backlogOf(inbox, position)
    const waitedMs = backlog.oldestReceivedAt === null ? 0 : Math.max(0, at - backlog.oldestReceivedAt)
    const hang = stuck(at, position, waitedMs)
    const store = {
      ok: alive && failure === null,
      detail: failure ?? (alive ? null : 'The indexer does not answer: it hangs or is being restarted.'),
    }
    const parts = { ...tried, store: store.ok && hang !== null ? hang : store }
    return {
      status: Object.values(parts).every(({ ok }) => ok) ? 'ok' : 'failing',
      ...parts,
      indexer: {
        behindRows: backlog.rows,
        behindSeconds: waitedMs / 1000,
        rejected,
      },
      bodies: {
        heldBytes: bodyBudget.usedBytes(),
        limitBytes: bodyBudget.limitBytes,
        waiting: bodyReader.waiting(),
      },
    }
  }
}

const part = async (use: () => unknown): Promise<PartHealth> => {
  try {
    await use()
    return { ok: true, detail: null }
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

const backlogOf = (inbox: Inbox, position: number): ReturnType<Inbox['backlogAfter']> => {
  try {
    return inbox.backlogAfter(position)
  } catch {
    // The inbox's own part says what is wrong with it.
    return { rows: 0, oldestReceivedAt: null }
  }
}
