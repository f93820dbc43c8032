import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile } from '../../statistics.mjs'
import { eventOf } from '../event.mjs'

/** 20 per turn, about 10,000 per second: a busy server that is no flood, and whose agent sends meanwhile. */
const PER_TURN = 20
const WARM_UP_TURNS = 500
const TURNS = 1000

/** Microseconds of one `capture()`; what reading the clock takes is subtracted. */
export const measure = async ({ start }) => start().heard()

export const program = async ({ agent, tell }) => {
  await inTurns(WARM_UP_TURNS, agent.capture, agent.argument)
  const clock = median(await inTurns(WARM_UP_TURNS, () => undefined, agent.argument))
  const calls = await inTurns(TURNS, agent.capture, agent.argument)
  const microseconds = (share) => Math.max(0, percentile(calls, share) - clock) / 1000
  tell({ p50Microseconds: microseconds(0.5), p99Microseconds: microseconds(0.99) })
}

/** Nanoseconds of each call. */
const inTurns = async (turns, call, argumentOf) => {
  const nanoseconds = new Float64Array(turns * PER_TURN)
  for (let turn = 0; turn < turns; turn++) {
    for (let n = turn * PER_TURN; n < (turn + 1) * PER_TURN; n++) {
      const argument = argumentOf(eventOf(n))
      const before = process.hrtime.bigint()
      call(argument)
      nanoseconds[n] = Number(process.hrtime.bigint() - before)
    }
    await sleep(1)
  }
  return nanoseconds
}
