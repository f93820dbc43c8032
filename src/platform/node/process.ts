import type { ProcessLife } from '../../port/process.ts'

/** A timer's longest time. */
const FOREVER_MS = 2 ** 31 - 1

/** One listener of the process for all agents: Node warns of more than ten. */
const idle = new Set<() => void>()
const ends = new Set<() => void>()
let isOpen = false
let isExiting = false

const tell = (listeners: ReadonlySet<() => void>): void => {
  for (const listener of listeners) listener()
}

const tellIdle = (): void => tell(idle)

const tellEnd = (): void => {
  isExiting = true
  tell(ends)
}

/**
 * The process, or the worker thread, that the agent runs in. Its `exit` is listened to from the first call on, for ever, and for no agent in
 * particular: Node calls no listener that is added while it tells of the end, and others may capture there.
 */
export const openNodeProcess = (): ProcessLife => {
  if (!isOpen) process.on('exit', tellEnd)
  isOpen = true
  return nodeProcess
}

const nodeProcess: ProcessLife = {
  hold() {
    const timer = setInterval(() => {}, FOREVER_MS)
    return () => clearInterval(timer)
  },
  onIdle(listener) {
    // None while nobody waits: a process that comes to its end is free.
    if (!idle.size) process.on('beforeExit', tellIdle)
    idle.add(listener)
    return () => {
      if (idle.delete(listener) && !idle.size) process.off('beforeExit', tellIdle)
    }
  },
  onExit(listener) {
    ends.add(listener)
    if (isExiting) listener()
    return () => ends.delete(listener)
  },
}
