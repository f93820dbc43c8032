import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { eventOf } from '../event.mjs'
import { deliveryRate } from '../rate.mjs'

/** All that these agents send at once divides both counts: no rest waits for a timer of seconds. */
const WARM_UP = 9000
const EVENTS = 99_000
const PER_TURN = 100

/** Of the warm-up, which no queue is too small for. */
const WARM_UP_PAUSE_MS = 10

/** How long nothing may come until what is missing counts as lost. */
const PAUSE_MS = 5000

/** Delivered per second by a loop that lets others run, with what the process and the wire pay for it. */
export const measure = async ({ sink, start }) => {
  const program = start()
  await program.heard()
  const before = await sink.delivered(WARM_UP, PAUSE_MS)
  program.tell('go')
  const { startedAt } = await program.heard()
  const after = await sink.delivered(before.delivered + EVENTS, PAUSE_MS)
  program.tell('delivered')
  const { cpuSeconds } = await program.heard()
  const delivered = after.delivered - before.delivered
  return {
    delivered,
    captured: EVENTS,
    eventsPerSecond: deliveryRate(after.arrivals, { startedAt, before: before.delivered }),
    cpuSecondsPer100k: (cpuSeconds / delivered) * 100_000,
    bytesPerEvent: (after.bytes - before.bytes) / delivered,
    eventsPerRequest: delivered / (after.arrivals.length - before.arrivals.length),
  }
}

export const program = async ({ agent, tell, told }) => {
  const loop = async (events, yielded) => {
    for (let n = 0; n < events; n++) {
      agent.capture(agent.argument(eventOf(n)))
      if (n % PER_TURN === PER_TURN - 1) await yielded()
    }
    return agent.flush()
  }
  await loop(WARM_UP, () => sleep(WARM_UP_PAUSE_MS))
  tell({})
  await told()
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  const flushed = loop(EVENTS, nextTurn)
  tell({ startedAt })
  await told()
  const { user, system } = process.cpuUsage(cpuBefore)
  await flushed
  tell({ cpuSeconds: (user + system) / 1e6 })
}
