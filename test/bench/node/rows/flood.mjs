import { setTimeout as sleep } from 'node:timers/promises'
import { eventOf } from '../event.mjs'
import { peakMemoryBytes } from '../peak-memory.mjs'

const EVENTS = 200_000

/** No agent here waits longer to send what it still has. */
const PAUSE_MS = 11_000

/** One agent blocks its process for longer than a minute; it has then told the program of no loss. */
const ANSWER_MS = 2000

/** All captured in one loop without a pause: what is delivered, what the program is told is lost, and the memory of the process at its peak. */
export const measure = async ({ sink, start }) => {
  const program = start()
  const { capturedAt } = await program.heard()
  const { delivered, deliveredTwice, arrivals } = await sink.delivered(EVENTS, PAUSE_MS)
  program.tell('end')
  const { reported } = await Promise.race([program.heard(), sleep(ANSWER_MS, { reported: 0 })])
  return {
    captured: EVENTS,
    delivered,
    deliveredTwice,
    reported,
    accounted: delivered + reported,
    peakBytes: peakMemoryBytes(program.pid),
    secondsToDeliver: delivered ? Math.max(0, arrivals.at(-1)[0] - capturedAt) / 1000 : undefined,
  }
}

export const program = async ({ agent, tell, told }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.argument(eventOf(n)))
  tell({ capturedAt: Date.now() })
  await told()
  tell({ reported: agent.reported() })
  // Its memory is looked at from outside.
  await told()
}
