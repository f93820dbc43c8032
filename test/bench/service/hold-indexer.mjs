import { setTimeout as sleep } from 'node:timers/promises'
import { atExit } from '../at-exit.mjs'
import { findIndexer } from './process-figures.mjs'

/** A new process is stopped within this time, before it has loaded its code. */
const POLL_MS = 10

/**
 * Stops the indexer of a service, so that acknowledged events wait. The service replaces an indexer that does not answer, at first after a
 * minute; each new one is stopped as well.
 *
 * Call it while the service has no events. The indexer then holds no lock, and no event can be the cause of its end.
 *
 * @param {number} servicePid
 */
export const holdIndexer = (servicePid) => {
  let held = null
  const stopIndexer = () => {
    const pid = findIndexer(servicePid)
    if (pid === null || pid === held) return
    process.kill(pid, 'SIGSTOP')
    held = pid
  }
  stopIndexer()
  const timer = setInterval(stopIndexer, POLL_MS)
  // The end of the front does not end a stopped process.
  const forget = atExit(() => killIfRunning(held))
  return {
    /** Ends the stopped indexer and waits for the one that the service starts instead. Resolves to its pid. */
    async release() {
      clearInterval(timer)
      killIfRunning(held)
      forget()
      for (;;) {
        const pid = findIndexer(servicePid)
        if (pid !== null && pid !== held) return pid
        await sleep(POLL_MS)
      }
    },
    /** Ends the stopped indexer without waiting. */
    cancel() {
      clearInterval(timer)
      killIfRunning(held)
      forget()
    },
  }
}

const killIfRunning = (pid) => {
  try {
    if (pid !== null) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
