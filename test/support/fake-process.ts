import type { ProcessLifecycle } from '../../src/port/process-lifecycle.ts'

/** A process whose end the test controls. */
export interface FakeProcess extends ProcessLifecycle {
  /** Sends `onIdle`: the process has nothing left to do. */
  idle(): void
  /** Sends `onExit`. */
  exit(): void
  /** Number of current `keepAlive` calls. */
  holds(): number
  /** Number of listeners. */
  listeners(): number
}

export const fakeProcess = (): FakeProcess => {
  const idle = new Set<() => void>()
  const exit = new Set<() => void>()
  let holds = 0
  let isExiting = false
  const subscribe =
    (listeners: Set<() => void>) =>
    (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  return {
    keepAlive() {
      holds++
      return () => holds--
    },
    onIdle: subscribe(idle),
    onExit(listener) {
      if (isExiting) listener()
      return subscribe(exit)(listener)
    },
    idle: () => idle.forEach((listener) => listener()),
    exit() {
      isExiting = true
      exit.forEach((listener) => listener())
    },
    holds: () => holds,
    listeners: () => idle.size + exit.size,
  }
}
