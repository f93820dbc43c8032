import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile } from '../../statistics.mjs'
import { createEvent } from '../event.mjs'

/** 20 events per turn, about 10,000 per second: a busy process whose agent sends meanwhile. */
const PER_TURN = 20
const WARM_UP_TURNS = 500
const TURNS = 1000

/** Measures the microseconds of one `capture()`, without the time of reading the clock. */
export const measure = async ({ start }) => start().nextMessage()

export const program = async ({ agent, sendMessage }) => {
  await timeCalls(WARM_UP_TURNS, agent.capture, agent.toArgument)
  const clock = median(await timeCalls(WARM_UP_TURNS, () => undefined, agent.toArgument))
  const calls = await timeCalls(TURNS, agent.capture, agent.toArgument)
  const microseconds = (share) => Math.max(0, percentile(calls, share) - clock) / 1000
  sendMessage({ p50Microseconds: microseconds(0.5), p99Microseconds: microseconds(0.99) })
}

/** Returns the nanoseconds of each call. */
const timeCalls = async (turns, call, toArgument) => {
  const nanoseconds = new Float64Array(turns * PER_TURN)
  for (let turn = 0; turn < turns; turn++) {
    for (let n = turn * PER_TURN; n < (turn + 1) * PER_TURN; n++) {
      const argument = toArgument(createEvent(n))
      const before = process.hrtime.bigint()
      call(argument)
      nanoseconds[n] = Number(process.hrtime.bigint() - before)
    }
    await sleep(1)
  }
  return nanoseconds
}
