import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('sink-program.mjs', import.meta.url))

/** Interval of polling the sink, in milliseconds. */
const POLL_MS = 20

/** Starts a sink in its own process. */
export const startSink = async () => {
  const child = fork(PROGRAM)
  /** @type {Promise<any>} */
  let last = Promise.resolve()
  /** Calls a function of the sink. Calls run one at a time because results carry no id. */
  const call = (name, argument) => {
    last = last.then(async () => {
      child.send({ name, argument })
      const [{ result }] = await once(child, 'message')
      return result
    })
    return last
  }
  const port = await call('listen')
  return {
    url: `http://127.0.0.1:${port}`,
    setStatus: (status) => call('setStatus', status),
    close: () => call('close'),
    reopen: () => call('listen', port),
    report: () => call('report'),
    /**
     * Waits until `expected` distinct events have arrived or none has for `pauseMs`. Returns the report.
     *
     * @param {number} expected
     * @param {number} pauseMs
     */
    waitForEvents: async (expected, pauseMs) => {
      let [seen, progressAt] = [-1, Date.now()]
      while (Date.now() < progressAt + pauseMs) {
        const events = await call('events')
        if (events > seen) [seen, progressAt] = [events, Date.now()]
        // Events may include duplicates.
        if (events >= expected && (await call('report')).delivered >= expected) break
        await sleep(POLL_MS)
      }
      return call('report')
    },
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
