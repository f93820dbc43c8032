import { setTimeout as sleep } from 'node:timers/promises'
import { createEvent } from '../event.mjs'

const EVENTS = 1000
const LIMIT_MS = 40_000

/** A script captures and ends without `shutdown()`: counts delivered events and measures how long the agent keeps it alive. */
export const measure = async ({ sink, start }) => {
  const program = start()
  const { capturedAt } = await program.nextMessage()
  const { at } = await Promise.race([program.ended, sleep(LIMIT_MS, { at: Date.now() + LIMIT_MS }, { ref: false })])
  const { delivered } = await sink.report()
  return { captured: EVENTS, delivered, heldSeconds: (at - capturedAt) / 1000 }
}

export const program = ({ agent, sendMessage }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.toArgument(createEvent(n)))
  sendMessage({ capturedAt: Date.now() })
}
