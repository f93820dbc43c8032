import type { Clock } from '../../port/clock.ts'
import type { EventStore } from '../../port/event-store.ts'
import type { Lease } from '../../port/lease.ts'

/**
 * How long a dead tab keeps the right. Far longer than the 1 s to which a hidden page's timers are slowed down; where they
 * are slowed down to a minute, the right lapses early and an event may be sent twice (it is stored once).
 */
const LEASE_MS = 15_000

/**
 * The right to deliver as a record in the shared store, `<until> <owner>`, renewed while the task runs.
 *
 * @param store Shared by all tabs. When it fails, the task runs: two deliveries are better than none, and every event
 * is stored once by its uuid.
 * @param key The record's key.
 * @param owner Names this tab; never used by another one.
 */
export const recordLease = (store: EventStore, key: string, owner: string, clock: Clock): Lease => {
  const ours = (record?: string): boolean => !!record?.endsWith(` ${owner}`)
  let running = false

  const take = (steal?: boolean): Promise<boolean> =>
    store
      .update(key, (old) => {
        const left = parseInt(old ?? '') - clock.now()
        // A deadline farther away than any lease lasts was written by a clock that has been changed since.
        const held = !steal && !ours(old) && left >= 0 && left <= LEASE_MS
        return held ? old : `${clock.now() + LEASE_MS} ${owner}`
      })
      .then(ours, () => true)

  return async (task, steal) => {
    if (running && !steal) return false
    running = true
    if (!(await take(steal))) return (running = false)
    let cancel: () => void
    const renew = (): void => {
      cancel = clock.after(LEASE_MS / 3, () => {
        renew()
        void take()
      })
    }
    renew()
    try {
      await task()
    } finally {
      running = false
      cancel!()
      await store.update(key, (old) => (ours(old) ? undefined : old)).catch(() => {})
    }
    return true
  }
}
