import { createEvent } from '../event.mjs'

const EVENTS = 10_000

/** Measures how long `shutdown()` takes to deliver the captured events. */
export const measure = async ({ sink, start }) => {
  const { drainMs } = await start().nextMessage()
  const { delivered } = await sink.report()
  return { captured: EVENTS, delivered, drainMs }
}

export const program = async ({ agent, sendMessage }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.toArgument(createEvent(n)))
  const before = performance.now()
  await agent.shutdown()
  sendMessage({ drainMs: performance.now() - before })
}
