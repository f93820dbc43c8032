import { createEvent } from '../event.mjs'
import { restart } from '../restart.mjs'

export { restarted } from '../restart.mjs'

const EVENTS = 1000

/** Calls `process.exit()` right after the captures, restarts the program without captures and counts the delivered events. */
export const measure = async ({ sink, start }) => {
  await start().ended
  const before = await sink.report()
  return { captured: EVENTS, deliveredBefore: before.delivered, ...(await restart({ sink, start, expected: EVENTS })) }
}

export const program = ({ agent }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.toArgument(createEvent(n)))
  process.exit()
}
