import { setTimeout as sleep } from 'node:timers/promises'
import { eventOf } from '../event.mjs'

const EVENTS = 1000
const LIMIT_MS = 40_000

/** A script that captures and comes to its end, without `shutdown()`: what is delivered, and how long the agent holds the process. */
export const measure = async ({ sink, start }) => {
  const program = start()
  const { capturedAt } = await program.heard()
  const { at } = await Promise.race([program.ended, sleep(LIMIT_MS, { at: Date.now() + LIMIT_MS }, { ref: false })])
  const { delivered } = await sink.report()
  return { captured: EVENTS, delivered, heldSeconds: (at - capturedAt) / 1000 }
}

export const program = ({ agent, tell }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.argument(eventOf(n)))
  tell({ capturedAt: Date.now() })
}
