import type { EventStore } from '../port/event-store.ts'
import { remainingMs } from './backoff.ts'
import { BEAT_KEY, CONTROLS_FROM, CONTROLS_TO, LEASE_PREFIX, NEXT_KEY, STATE_KEY } from './record-key.ts'
import { parseState, type State } from './state.ts'

/** For how long the events that a beacon took along are left alone: its answer is never seen, so they are then sent once more. */
export const BEACON_LEASE_MS = 30_000

/** The records that steer delivery, as all tabs see them. */
export interface Controls {
  readonly state: State | undefined
  /** Milliseconds since 1970; 0 when no tab has ever delivered. */
  readonly beatAt: number
  readonly next: NextTry | undefined
  readonly leases: readonly (BeaconLease & { readonly key: string })[]
}

/** When the next try is due after failures in a row. */
export interface NextTry {
  /** Milliseconds since 1970: the end of our own back-off, which a fresh start or a returning network cuts short. */
  readonly at: number
  /** Milliseconds since 1970: the end of the wait that the service asked for (`Retry-After`); nothing comes earlier. */
  readonly askedUntil: number
  readonly failures: number
}

/** Events that a beacon took along. */
export interface BeaconLease {
  readonly keys: readonly string[]
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Reads all control records at once; a corrupt one is as good as none. */
export async function readControls(store: EventStore): Promise<Controls> {
  const records = new Map<string, string>()
  for (const { key, value } of await store.read(CONTROLS_FROM, CONTROLS_TO, 1000)) records.set(key, value)
  return {
    state: parseState(records.get(STATE_KEY)),
    beatAt: Number(records.get(BEAT_KEY) ?? 0),
    next: parse(records.get(NEXT_KEY)) as NextTry | undefined,
    leases: [...records].flatMap(([key, value]) => {
      const lease = key.startsWith(LEASE_PREFIX) && (parse(value) as BeaconLease | undefined)
      return lease ? [{ ...lease, key }] : []
    }),
  }
}

/** The leases that still run, taken together. */
export interface RunningLeases {
  readonly keys: ReadonlySet<string>
  /** Milliseconds until the first of them ends; Infinity when none runs. */
  readonly remainingMs: number
  /** Control records of leases that have ended: they can go. */
  readonly ended: readonly string[]
}

/** Sorts the leases into those that still hold their events back and those that have ended. */
export function runningLeases(controls: Controls, now: number): RunningLeases {
  const keys = new Set<string>()
  const ended: string[] = []
  let first = Infinity
  for (const lease of controls.leases) {
    const ms = remainingMs(lease.until, now, BEACON_LEASE_MS)
    if (!ms) ended.push(lease.key)
    else {
      first = Math.min(first, ms)
      for (const key of lease.keys) keys.add(key)
    }
  }
  return { keys, remainingMs: first, ended }
}

function parse(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text)
  } catch {
    return undefined
  }
}
