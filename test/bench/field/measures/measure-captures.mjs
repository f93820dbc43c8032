import { median, percentile } from '../../statistics.mjs'
import { captureInTasks } from '../capture-in-tasks.mjs'
import { sleep } from '../visit.mjs'

/** A busy page: 1,000 events at 200 per second. `limitMs` stops slow agents. */
const STEADY = { events: 1000, perTask: 10, pauseMs: 50, limitMs: 30_000 }
/** As fast as possible, with pauses for the page's own tasks. */
const BURST = { events: 5000, perTask: 50, pauseMs: 4, limitMs: 20_000 }
/** All in one task. */
const ONE_TASK = { events: 5000, perTask: 5000, pauseMs: 0, limitMs: 1 }

/** Longest wait for all events, and for the next one, in milliseconds. */
const DELIVERY_MS = 30_000
const DELIVERY_PAUSE_MS = 8000

/** The cost of `capture()` at a steady rate, and the bytes on the wire. */
export const measureSteady = async ({ page, seen, open }) => {
  const calls = await captureAll(page, open, STEADY)
  await waitUntilDelivered(seen, STEADY.events)
  const { items, bodyBytes, bytesWithHeaders, requests, preflights } = seen
  return {
    ...summarizeCalls(calls),
    delivered: items.size,
    bodyBytesPerEvent: bodyBytes / items.size,
    bytesPerEvent: bytesWithHeaders / items.size,
    requests,
    preflights,
  }
}

/** The same in a burst of 5,000, and its long tasks. */
export const measureBurst = async ({ page, seen, open }) => {
  const calls = await captureAll(page, open, BURST)
  await waitUntilDelivered(seen, BURST.events)
  const longTasks = await page.evaluate(() => globalThis.stopCounting())
  return {
    captured: calls.length,
    ...summarizeCalls(calls),
    longTasks: longTasks.count,
    longTasksMs: longTasks.ms,
    delivered: seen.items.size,
    deliveredTwice: seen.events - seen.items.size,
  }
}

/** An agent that exceeds the time of a burst would do so in each round. */
export const isWithinTime = ({ captured, delivered }) => captured === BURST.events && delivered === captured

/** The long tasks after and with 5,000 calls in one task. */
export const measureOneTask = async ({ page, seen, open }) => {
  const calls = await captureAll(page, open, ONE_TASK)
  await waitUntilDelivered(seen, ONE_TASK.events)
  const longTasks = await page.evaluate(() => globalThis.stopCounting())
  return {
    captured: calls.length,
    longTasks: longTasks.count,
    longestTaskMs: longTasks.longestMs,
    delivered: seen.items.size,
  }
}

const captureAll = async (page, open, plan) => {
  await open()
  await sleep(1000)
  return page.evaluate(captureInTasks, plan)
}

const summarizeCalls = (microseconds) => ({
  captureMedianMicroseconds: median(microseconds),
  captureP99Microseconds: percentile(microseconds, 0.99),
  captureMeanMicroseconds: microseconds.reduce((sum, value) => sum + value, 0) / microseconds.length,
})

/** Waits until all events have been delivered or no more arrive. */
const waitUntilDelivered = async (seen, events) => {
  const deadline = Date.now() + DELIVERY_MS
  let count = -1
  let progressAt = Date.now()
  while (seen.items.size < events && Date.now() < Math.min(deadline, progressAt + DELIVERY_PAUSE_MS)) {
    if (seen.items.size > count) {
      count = seen.items.size
      progressAt = Date.now()
    }
    await sleep(20)
  }
}
