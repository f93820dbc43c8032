import type { Lock } from '../../port/lock.ts'

/** Creates a lock within one program. A task that has stolen it runs beside the one that held it. */
export const createMemoryLock = (): Lock => {
  let holder: object | undefined
  return async (task, steal) => {
    if (holder && !steal) return false
    const self = {}
    holder = self
    try {
      await task()
    } finally {
      if (holder === self) holder = undefined
    }
    return true
  }
}
