import { setTimeout as sleep } from 'node:timers/promises'
import { eventOf } from '../event.mjs'

const EVERY_MS = 50
const UP_MS = 5000
const OUTAGE_MS = 60_000

/** How long nothing may come after the outage until what is missing counts as lost: a program that runs on gives its agent that time. */
const PAUSE_MS = 40_000

/** 20 events per second before, during and after a minute in which the service answers 503. */
export const measure = async ({ sink, start }) => {
  const program = start()
  await sleep(UP_MS)
  await sink.answer(503)
  await sleep(OUTAGE_MS)
  await sink.answer(200)
  await sleep(UP_MS)
  program.tell('end')
  const { captured, reported } = await program.heard()
  const { delivered, deliveredTwice, refused } = await sink.delivered(captured, PAUSE_MS)
  return { captured, delivered, deliveredTwice, reported, refusedRequests: refused }
}

export const program = async ({ agent, tell, told }) => {
  let captured = 0
  const timer = setInterval(() => agent.capture(agent.argument(eventOf(captured++))), EVERY_MS)
  await told()
  clearInterval(timer)
  tell({ captured, reported: agent.reported() })
  // A server that runs on.
  await told()
}
