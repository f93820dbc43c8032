import type { Clock } from '../../../port/clock.ts'
import { pause } from '../../../lib/pause.ts'

/** Lets callers wait until it is opened. Each caller has its own timeout. */
export interface Latch {
  /** Lets all waiting and future callers continue. */
  open(): void
  /** Makes later callers wait for the next `open`. */
  close(): void
  /** Resolves when the latch is open, or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void>
}

export const createLatch = (clock: Clock): Latch => {
  let isOpen = false
  const resumeFunctions = new Set<() => void>()
  return {
    open() {
      isOpen = true
      for (const resume of resumeFunctions) resume()
    },
    close() {
      isOpen = false
    },
    wait(timeoutMs) {
      return isOpen ? RESOLVED : pause(clock, timeoutMs, resumeFunctions)
    },
  }
}

const RESOLVED: Promise<void> = Promise.resolve()
