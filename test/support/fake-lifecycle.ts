import type { Lifecycle } from '../../src/port/lifecycle.ts'

/** A page whose lifecycle events the test sends. */
export interface FakeLifecycle extends Lifecycle {
  online: boolean
  wake(cause: 'visible' | 'restored' | 'online'): void
  hide(): void
  unload(mayReturn?: boolean): void
  /** Number of listeners. */
  listenerCount(): number
}

export const fakeLifecycle = (): FakeLifecycle => {
  const listeners = {
    wake: new Set<(cause: 'visible' | 'restored' | 'online') => void>(),
    hidden: new Set<() => void>(),
    unload: new Set<(mayReturn: boolean) => void>(),
  }
  const subscribe =
    <T>(set: Set<T>) =>
    (listener: T) => {
      set.add(listener)
      return () => void set.delete(listener)
    }
  const lifecycle: FakeLifecycle = {
    online: true,
    isOnline: () => lifecycle.online,
    onWake: subscribe(listeners.wake),
    onHidden: subscribe(listeners.hidden),
    onUnload: subscribe(listeners.unload),
    wake(cause) {
      for (const listener of listeners.wake) listener(cause)
    },
    hide() {
      for (const listener of listeners.hidden) listener()
    },
    listenerCount: () => listeners.wake.size + listeners.hidden.size + listeners.unload.size,
    unload(mayReturn = false) {
      for (const listener of listeners.unload) listener(mayReturn)
    },
  }
  return lifecycle
}
