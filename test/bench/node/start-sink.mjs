import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('sink-program.mjs', import.meta.url))

/** How often the sink is asked how much has come. */
const LOOK_MS = 20

/** Starts a sink in a process of its own. */
export const startSink = async () => {
  const child = fork(PROGRAM)
  /** @type {Promise<any>} */
  let last = Promise.resolve()
  /** One question at a time: answers carry no name. */
  const ask = (name, given) => {
    last = last.then(async () => {
      child.send({ ask: name, given })
      const [{ answer }] = await once(child, 'message')
      return answer
    })
    return last
  }
  const port = await ask('listen')
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (status) => ask('answer', status),
    down: () => ask('close'),
    up: () => ask('listen', port),
    report: () => ask('report'),
    /**
     * Waits until so many different events have come, or none has for `pauseMs`.
     *
     * @param {number} wanted
     * @param {number} pauseMs
     */
    delivered: async (wanted, pauseMs) => {
      let [seen, progressAt] = [-1, Date.now()]
      while (Date.now() < progressAt + pauseMs) {
        const events = await ask('events')
        if (events > seen) [seen, progressAt] = [events, Date.now()]
        // Some may have come twice.
        if (events >= wanted && (await ask('report')).delivered >= wanted) break
        await sleep(LOOK_MS)
      }
      return ask('report')
    },
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
