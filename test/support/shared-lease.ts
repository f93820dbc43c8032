import type { Lease } from '../../src/port/lease.ts'

/** One lease for all tabs of a test. */
export interface SharedLease {
  /** The lease as one tab sees it. */
  of(tab: object): Lease
  /** A tab that takes the lease and never moves again. */
  jam(): void
  /** The tab died: what it held is free. */
  release(tab: object): void
  isHeld(): boolean
}

export const sharedLease = (): SharedLease => {
  let held: { readonly tab: object } | undefined
  return {
    of: (tab) => async (task, steal) => {
      if (held && !steal) return false
      const mine = { tab }
      held = mine
      try {
        await task()
      } finally {
        if (held === mine) held = undefined
      }
      return true
    },
    jam() {
      held = { tab: {} }
    },
    release(tab) {
      if (held?.tab === tab) held = undefined
    },
    isHeld: () => held !== undefined,
  }
}
