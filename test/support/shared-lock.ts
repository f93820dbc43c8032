import type { Lock } from '../../src/port/lock.ts'

/** One lock for all tabs of a test. */
export interface SharedLock {
  /** The lock as one tab sees it. */
  of(tab: object): Lock
  /** Makes a tab take the lock and hang with it. */
  holdForever(): void
  /** Releases the lock if the tab holds it, because the tab has died. */
  release(tab: object): void
  isHeld(): boolean
}

export const createSharedLock = (): SharedLock => {
  let holder: { readonly tab: object } | undefined
  return {
    of: (tab) => async (task, steal) => {
      if (holder && !steal) return false
      const ownHolder = { tab }
      holder = ownHolder
      try {
        await task()
      } finally {
        if (holder === ownHolder) holder = undefined
      }
      return true
    },
    holdForever() {
      holder = { tab: {} }
    },
    release(tab) {
      if (holder?.tab === tab) holder = undefined
    },
    isHeld: () => holder !== undefined,
  }
}
