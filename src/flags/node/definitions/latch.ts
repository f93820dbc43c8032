import type { Clock } from '../../../port/clock.ts'

/** A gate to wait at; each caller has its own timeout. */
export interface Latch {
  /** Lets all waiting and future callers continue. */
  open(): void
  /** Makes later callers wait for the next `open`. */
  close(): void
  /** Resolves when it is open, or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void>
}

export const createLatch = (clock: Clock): Latch => {
  let isOpen = false
  const waiting = new Set<() => void>()
  return {
    open() {
      isOpen = true
      for (const resume of waiting) resume()
    },
    close() {
      isOpen = false
    },
    wait(timeoutMs) {
      if (isOpen) return RESOLVED
      return new Promise((resolve) => {
        const resume = (): void => {
          cancelTimer()
          waiting.delete(resume)
          resolve()
        }
        const cancelTimer = clock.after(timeoutMs, resume)
        waiting.add(resume)
      })
    },
  }
}

const RESOLVED: Promise<void> = Promise.resolve()
