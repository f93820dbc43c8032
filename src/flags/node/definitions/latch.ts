import type { Clock } from '../../../port/clock.ts'

/** Something that others wait for, each of them for a time of its own. */
export interface Latch {
  /** All who wait go on, and nobody waits any more. */
  open(): void
  /** Whoever comes now waits for the next `open`. */
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
      for (const goOn of waiting) goOn()
    },
    close() {
      isOpen = false
    },
    wait(timeoutMs) {
      if (isOpen) return OPEN
      return new Promise((resolve) => {
        const goOn = (): void => {
          giveUp()
          waiting.delete(goOn)
          resolve()
        }
        const giveUp = clock.after(timeoutMs, goOn)
        waiting.add(goOn)
      })
    },
  }
}

const OPEN: Promise<void> = Promise.resolve()
