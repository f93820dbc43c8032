import { eventOf } from '../event.mjs'
import { restart } from '../restart.mjs'

export { restarted } from '../restart.mjs'

const EVENTS = 1000

/** `process.exit()` right after the captures, then the same program once more without any: what is delivered at last. */
export const measure = async ({ sink, start }) => {
  await start().ended
  const before = await sink.report()
  return { captured: EVENTS, deliveredBefore: before.delivered, ...(await restart({ sink, start, wanted: EVENTS })) }
}

export const program = ({ agent }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.argument(eventOf(n)))
  process.exit()
}
