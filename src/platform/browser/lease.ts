import type { Lease } from '../../port/lease.ts'

/**
 * The right to deliver as a Web Lock: the browser ends it with the tab, however the tab dies. Where there are no Web Locks (http: pages, old
 * browsers, opaque origins) every tab has the right: what two of them deliver is stored once all the same.
 *
 * @param name The lock's name, shared by all tabs of the origin.
 */
export const browserLease =
  (name: string): Lease =>
  async (task, steal) => {
    let run: Promise<unknown> | undefined
    try {
      await navigator.locks.request(name, steal ? { steal } : { ifAvailable: true }, (lock) => lock && (run = task()))
    } catch {
      // Without a run: no locks here. With one: it failed, or its lock was stolen while it goes on; both end below.
      run ??= task()
    }
    await run
    return !!run
  }
