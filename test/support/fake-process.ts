import type { ProcessLife } from '../../src/port/process.ts'

/** A process whose end the test brings about. */
export interface FakeProcess extends ProcessLife {
  /** It has nothing left to do. */
  idle(): void
  /** It ends. */
  exit(): void
  /** How often it is held now. */
  holds(): number
  /** How many subscriptions there are. */
  listeners(): number
}

export const fakeProcess = (): FakeProcess => {
  const idle = new Set<() => void>()
  const exit = new Set<() => void>()
  let holds = 0
  let isExiting = false
  const on =
    (listeners: Set<() => void>) =>
    (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  return {
    hold() {
      holds++
      return () => holds--
    },
    onIdle: on(idle),
    onExit(listener) {
      if (isExiting) listener()
      return on(exit)(listener)
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
