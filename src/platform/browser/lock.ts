import type { Lock } from '../../port/lock.ts'

/**
 * A Web Lock; the browser releases it when the tab dies.
 *
 * Where there are no Web Locks (http: pages, old browsers, opaque origins) every tab gets the lock. Two tabs may then deliver the same
 * events, which the service stores once.
 *
 * @param name Name of the lock, shared by all tabs of the origin.
 */
export const createBrowserLock =
  (name: string): Lock =>
  async (task, steal) => {
    let running: Promise<unknown> | undefined
    try {
      await globalThis.navigator.locks.request(
        name,
        steal ? { steal } : { ifAvailable: true },
        (lock) => lock && (running = task()),
      )
    } catch {
      // Not running: there are no Web Locks. Running: the task failed, or its lock was stolen meanwhile; both are awaited below.
      running ??= task()
    }
    await running
    return !!running
  }
