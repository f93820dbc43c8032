import { createEvent } from '../event.mjs'
import { restart } from '../restart.mjs'

export { restarted } from '../restart.mjs'

const EVENTS = 1000

/** Sends SIGKILL one event-loop turn after the captures while the service is down, then restarts both and counts the events. */
export const measure = async ({ sink, start }) => {
  await sink.close()
  await start().ended
  await sink.reopen()
  return { captured: EVENTS, ...(await restart({ sink, start, expected: EVENTS })) }
}

export const program = ({ agent }) => {
  for (let n = 0; n < EVENTS; n++) agent.capture(agent.toArgument(createEvent(n)))
  setImmediate(() => process.kill(process.pid, 'SIGKILL'))
}
