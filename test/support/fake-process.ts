import type { ProcessLifecycle } from '../../src/port/process-lifecycle.ts'

/** A process whose end the test controls. */
export interface FakeProcess extends ProcessLifecycle {
  /** Sends `onIdle`: the process has nothing left to do. */
  idle(): void
  /** Sends `onExit`. */
  exit(): void
  /** Number of `keepAlive` calls that have not been released. */
  keepAliveCount(): number
  /** Number of listeners. */
  listenerCount(): number
}

export const fakeProcess = (): FakeProcess => {
  const idleListeners = new Set<() => void>()
  const exitListeners = new Set<() => void>()
  let keepAliveCount = 0
  let isExiting = false
  const subscribe =
    (listeners: Set<() => void>) =>
    (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  return {
    keepAlive() {
      keepAliveCount++
      return () => keepAliveCount--
    },
    onIdle: subscribe(idleListeners),
    onExit(listener) {
      if (isExiting) listener()
      return subscribe(exitListeners)(listener)
    },
    idle: () => idleListeners.forEach((listener) => listener()),
    exit() {
      isExiting = true
      exitListeners.forEach((listener) => listener())
    },
    keepAliveCount: () => keepAliveCount,
    listenerCount: () => idleListeners.size + exitListeners.size,
  }
}
