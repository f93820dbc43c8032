import { setTimeout as sleep } from 'node:timers/promises'
import { createEvent } from '../event.mjs'

const EVERY_MS = 50
const UP_MS = 5000
const OUTAGE_MS = 60_000

/** Longest pause between events after the outage, in milliseconds. After that, missing events count as lost. */
const PAUSE_MS = 40_000

/** 20 events per second before, during and after a minute in which the service responds with 503. */
export const measure = async ({ sink, start }) => {
  const program = start()
  await sleep(UP_MS)
  await sink.setStatus(503)
  await sleep(OUTAGE_MS)
  await sink.setStatus(200)
  await sleep(UP_MS)
  program.send('end')
  const { captured, reported } = await program.nextMessage()
  const { delivered, deliveredTwice, refused } = await sink.waitForEvents(captured, PAUSE_MS)
  return { captured, delivered, deliveredTwice, reported, refusedRequests: refused }
}

export const program = async ({ agent, sendMessage, nextMessage }) => {
  let captured = 0
  const timer = setInterval(() => agent.capture(agent.toArgument(createEvent(captured++))), EVERY_MS)
  await nextMessage()
  clearInterval(timer)
  sendMessage({ captured, reported: agent.reported() })
  // The program keeps running.
  await nextMessage()
}
