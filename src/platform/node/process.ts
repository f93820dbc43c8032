import type { ProcessLife } from '../../port/process.ts'

/** A timer's longest time. */
const FOREVER_MS = 2 ** 31 - 1

type End = 'beforeExit' | 'exit'

/**
 * One listener of the process for all agents, and none while nobody waits for the end: Node warns of more than ten, and each would hold its
 * agent for ever.
 */
function createEnd(name: End): (listener: () => void) => () => void {
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  return (listener) => {
    if (!listeners.size) process.on(name, tell)
    listeners.add(listener)
    return () => {
      if (listeners.delete(listener) && !listeners.size) process.off(name, tell)
    }
  }
}

/** The process, or the worker thread, that the agent runs in. */
export const nodeProcess: ProcessLife = {
  hold() {
    const timer = setInterval(() => {}, FOREVER_MS)
    return () => clearInterval(timer)
  },
  onIdle: createEnd('beforeExit'),
  onExit: createEnd('exit'),
}
