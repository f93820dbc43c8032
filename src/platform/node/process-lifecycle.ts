import { noop } from '../../lib/noop.ts'
import { unpatched } from '../web/unpatched.ts'
import type { ProcessLifecycle } from '../../port/process-lifecycle.ts'

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

// One process listener for all agents, because Node warns about more than ten.
const idleListeners = new Set<() => void>()
const exitListeners = new Set<() => void>()
let isListening = false
let isExiting = false

const callAll = (listeners: ReadonlySet<() => void>): void => {
  for (const listener of listeners) listener()
}

const handleBeforeExit = (): void => callAll(idleListeners)

const handleExit = (): void => {
  isExiting = true
  callAll(exitListeners)
}

/**
 * The lifecycle of the process, or of the worker thread, in which the agent runs.
 *
 * The first call adds the `exit` listener for good: Node does not call a listener that is added during `exit`, where other listeners may
 * capture.
 */
export const openProcessLifecycle = (): ProcessLifecycle => {
  if (!isListening) process.on('exit', handleExit)
  isListening = true
  return processLifecycle
}

const processLifecycle: ProcessLifecycle = {
  keepAlive() {
    const timer = unpatched('setInterval')(noop, MAX_TIMER_MS)
    return () => unpatched('clearInterval')(timer)
  },
  onIdle(listener) {
    // Subscribes only while an agent waits for it.
    if (!idleListeners.size) process.on('beforeExit', handleBeforeExit)
    idleListeners.add(listener)
    return () => {
      if (idleListeners.delete(listener) && !idleListeners.size) process.off('beforeExit', handleBeforeExit)
    }
  },
  onExit(listener) {
    exitListeners.add(listener)
    if (isExiting) listener()
    return () => exitListeners.delete(listener)
  },
}
