import type { Lease } from '../../port/lease.ts'

/**
 * The right to deliver as a Web Lock: the browser ends it with the tab, however the tab dies.
 *
 * @param name The lock's name, shared by all tabs of the origin.
 * @param fallback Where there are no Web Locks (http: pages, old browsers, opaque origins).
 */
export const browserLease =
  (name: string, fallback: Lease): Lease =>
  async (task, steal) => {
    let run: Promise<void> | undefined
    try {
      await navigator.locks.request(name, steal ? { steal } : { ifAvailable: true }, (lock) => lock && (run = task()))
    } catch {
      // Without a run: no locks here. With one: it failed, or its lock was stolen while it goes on; both end below.
      if (!run) return fallback(task, steal)
    }
    await run
    return !!run
  }
