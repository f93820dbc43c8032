import { setTimeout as sleep } from 'node:timers/promises'
import { createEvent } from '../event.mjs'
import { readPeakMemoryBytes } from '../peak-memory.mjs'

const EVENTS = 200_000

/** Longest pause between events, in milliseconds: no agent waits longer before it sends queued events. */
const PAUSE_MS = 11_000

/** Timeout of the last message, because one agent blocks its process for over a minute. It has reported no losses then. */
const ANSWER_TIMEOUT_MS = 2000

/** Measures events delivered and reported as lost, and peak memory, when all events are captured in one loop without a pause. */
export const measure = async ({ sink, start }) => {
  const program = start()
  const { capturedAt } = await program.nextMessage()
  const { delivered, deliveredTwice, arrivals } = await sink.waitForEvents(EVENTS, PAUSE_MS)
  program.send('end')
  const { reported } = await Promise.race([program.nextMessage(), sleep(ANSWER_TIMEOUT_MS, { reported: 0 })])
  return {
    captured: EVENTS,
    delivered,
    deliveredTwice,
    reported,
    accounted: delivered + reported,
    peakBytes: readPeakMemoryBytes(program.pid),
    secondsToDeliver: delivered ? Math.max(0, arrivals.at(-1)[0] - capturedAt) / 1000 : undefined,
  }
}

export const program = async ({ agent, sendMessage, nextMessage }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.toArgument(createEvent(n)))
  sendMessage({ capturedAt: Date.now() })
  await nextMessage()
  sendMessage({ reported: agent.reported() })
  // The bench reads the memory of this process meanwhile.
  await nextMessage()
}
