import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createEvent } from '../event.mjs'
import { deliveryRate } from '../delivery-rate.mjs'

/** Multiples of all batch sizes, so that no incomplete batch waits seconds for a timer. */
const WARM_UP = 9000
const EVENTS = 99_000
const PER_TURN = 100

/** Pause of the warm-up in milliseconds, so long that no queue overflows. */
const WARM_UP_PAUSE_MS = 10

/** Longest pause between events, in milliseconds. After that, missing events count as lost. */
const PAUSE_MS = 5000

/** Measures delivered events per second of a loop that yields to the event loop, with CPU time and bytes. */
export const measure = async ({ sink, start }) => {
  const program = start()
  await program.nextMessage()
  const before = await sink.waitForEvents(WARM_UP, PAUSE_MS)
  program.send('go')
  const { startedAt } = await program.nextMessage()
  const after = await sink.waitForEvents(before.delivered + EVENTS, PAUSE_MS)
  program.send('delivered')
  const { cpuSeconds } = await program.nextMessage()
  const delivered = after.delivered - before.delivered
  return {
    delivered,
    captured: EVENTS,
    eventsPerSecond: deliveryRate(after.arrivals, { startedAt, deliveredBefore: before.delivered }),
    cpuSecondsPer100k: (cpuSeconds / delivered) * 100_000,
    bytesPerEvent: (after.bytes - before.bytes) / delivered,
    eventsPerRequest: delivered / (after.arrivals.length - before.arrivals.length),
  }
}

export const program = async ({ agent, sendMessage, nextMessage }) => {
  const loop = async (events, yieldToLoop) => {
    for (let n = 0; n < events; n++) {
      agent.capture(agent.toArgument(createEvent(n)))
      if (n % PER_TURN === PER_TURN - 1) await yieldToLoop()
    }
    return agent.flush()
  }
  await loop(WARM_UP, () => sleep(WARM_UP_PAUSE_MS))
  sendMessage({})
  await nextMessage()
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  const flushed = loop(EVENTS, nextTurn)
  sendMessage({ startedAt })
  await nextMessage()
  const { user, system } = process.cpuUsage(cpuBefore)
  await flushed
  sendMessage({ cpuSeconds: (user + system) / 1e6 })
}
