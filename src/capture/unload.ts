import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { DropReason } from './drop-reason.ts'
import type { PostOptions } from './post-events.ts'
import type { ResendDelay } from './resend-delay.ts'
import type { RetryTime } from './retry-time.ts'
import { sendBeacon } from './send-beacon.ts'
import type { BeaconPorts, UnloadTransfer } from './send-beacon.ts'
import { shrinkSpill, writeSpill } from './spill.ts'
import type { WriteBehind } from './write-behind.ts'

export interface UnloadPorts extends BeaconPorts {
  readonly storage: KeyValue
  readonly resendDelay: ResendDelay
  readonly retryTime: RetryTime
  readonly onDrop: (json: string, reason: DropReason) => void
  readonly isOptedOut: () => boolean
  readonly lifecycle: Pick<Lifecycle, 'isOnline'>
}

/** Keeps this tab's events when the page goes away. */
export interface Unload {
  /** True from the unload of the page until it is visible again: no event-loop turn may follow. */
  hasLeft(): boolean
  /**
   * The last synchronous work of the page: starts all writes, sends as many events as a beacon accepts, and spills unstored events.
   *
   * @param keysInFlight The events of a request that outlives the page.
   * @param isPersisted The browser may restore the page from the back/forward cache: events in memory are not lost yet. Default: as before.
   */
  leave(unacknowledged: readonly StoreRecord[], keysInFlight: readonly string[], isPersisted?: boolean): void
  /** The page is visible again, or restored. */
  comeBack(): void
  /** Spills the events that the store does not have, for the next page. Events that no request contains come first. */
  spill(unacknowledged: readonly StoreRecord[], sentKeys: ReadonlySet<string>): void
}

/** @param spillKey Key of this tab's spill in `storage`. */
export const createUnload = (
  options: PostOptions,
  ports: UnloadPorts,
  store: WriteBehind,
  spillKey: string,
): Unload => {
  const { clock, storage, resendDelay } = ports
  let transfer: UnloadTransfer | undefined
  let canReturn = false

  const spill: Unload['spill'] = (unacknowledged, sentKeys) => {
    const unstored = unacknowledged
      .filter(([key]) => !store.isStored(key))
      .sort(([a], [b]) => +sentKeys.has(a) - +sentKeys.has(b))
    if (!unstored.length) return
    for (const [key, value] of writeSpill(storage, spillKey, unstored)) {
      if (!canReturn && !store.isReliable() && !sentKeys.has(key)) ports.onDrop(value, 'storage_unavailable')
    }
    // Runs only if the page is restored.
    void store.whenWritten().then(() => store.isReliable() && shrinkSpill(storage, spillKey, unstored))
  }

  return {
    hasLeft: () => !!transfer,
    leave(unacknowledged, keysInFlight, isPersisted = canReturn) {
      canReturn = isPersisted
      // A keepalive request outlives the page like a beacon, and the page cannot read its response either.
      transfer ??= { keys: keysInFlight, bytes: 0 }
      store.writeNow()
      const now = clock.now()
      const sentKeys = new Set([...transfer.keys, ...resendDelay.keys(now)])
      // During a Retry-After, send only events that exist nowhere but in this page.
      const isRetryAfter = ports.retryTime.remainingMs(now, true) > 0
      const { keys, bytes } = sendBeacon(
        options,
        ports,
        ports.isOptedOut()
          ? []
          : unacknowledged.filter(([key]) => !sentKeys.has(key) && !(isRetryAfter && store.isStored(key))),
        transfer,
      )
      // A browser that is offline accepts a beacon all the same, and drops it. It is sent because the browser may be wrong about that.
      transfer = { keys: ports.lifecycle.isOnline() ? keys : [], bytes }
      if (transfer.keys.length) resendDelay.start(now, transfer.keys)
      // The writes above are not enough: the end of the page aborts a transaction that waits for another one.
      spill(unacknowledged, new Set(transfer.keys))
    },
    comeBack() {
      transfer = undefined
      canReturn = false
    },
    spill,
  }
}
