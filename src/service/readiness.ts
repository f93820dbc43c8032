import type { PartHealth } from './health.ts'
import type { Inbox } from './store/inbox/inbox.ts'

/** Response body of `GET /readyz`. */
export interface Readiness {
  readonly status: 'ok' | 'failing'
  /** Whether events are written to the inbox now. */
  readonly inbox: PartHealth
}

/** How long the result is cached: the check writes to the disk, and the path is public. */
const CACHE_TTL_MS = 1000

/**
 * Creates the check for a load balancer: whether this node acknowledges events. The stores do not count. Events wait in the inbox while one
 * of them is away, and a load balancer that then sent nothing to any node would make clients wait instead.
 */
export const createReadinessCheck = ({
  inbox,
  isFull,
  now,
}: {
  readonly inbox: Pick<Inbox, 'probe'>
  /** True while the inbox has reached its size limit. */
  readonly isFull: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}): (() => Readiness) => {
  const check = (nowMs: number): PartHealth => {
    if (isFull()) return { ok: false, detail: 'The inbox is full: too many requests wait for the indexer.' }
    try {
      inbox.probe(nowMs)
      return { ok: true, detail: null }
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) }
    }
  }

  let cached: { readonly checkedMs: number; readonly inbox: PartHealth } | null = null
  return () => {
    const nowMs = now()
    // The clock may have been set back.
    if (cached === null || nowMs - cached.checkedMs >= CACHE_TTL_MS || nowMs < cached.checkedMs)
      cached = { checkedMs: nowMs, inbox: check(nowMs) }
    return { status: cached.inbox.ok ? 'ok' : 'failing', inbox: cached.inbox }
  }
}
