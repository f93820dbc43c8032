import { eventOf } from '../event.mjs'
import { restart } from '../restart.mjs'

export { restarted } from '../restart.mjs'

const EVENTS = 1000

/** SIGKILL one turn of the event loop after the captures, while the service is away; then the same program once more, and the service is back. */
export const measure = async ({ sink, start }) => {
  await sink.down()
  await start().ended
  await sink.up()
  return { captured: EVENTS, ...(await restart({ sink, start, wanted: EVENTS })) }
}

export const program = ({ agent }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.argument(eventOf(n)))
  setImmediate(() => process.kill(process.pid, 'SIGKILL'))
}
