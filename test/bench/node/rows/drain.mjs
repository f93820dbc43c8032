import { eventOf } from '../event.mjs'

const EVENTS = 10_000

/** How long a program that wants to end waits for what it has captured. */
export const measure = async ({ sink, start }) => {
  const { drainMs } = await start().heard()
  const { delivered } = await sink.report()
  return { captured: EVENTS, delivered, drainMs }
}

export const program = async ({ agent, tell }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.argument(eventOf(n)))
  const before = performance.now()
  await agent.shutdown()
  tell({ drainMs: performance.now() - before })
}
