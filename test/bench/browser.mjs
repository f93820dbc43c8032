import { chromium } from 'playwright-core'
import { fileURLToPath } from 'node:url'
import { measureSizes } from '../size/measure.mjs'
import { findChromium } from '../support/chromium.mjs'
import { AGENTS, EMPTY_PAGE, SCRIPT_TAG } from './field/agents.mjs'
import { bundleAgent } from './field/bundle.mjs'
import { installField } from './field/install.mjs'
import { captureInTasks, servePage, startAgent } from './field/page.mjs'
import { startSink } from './field/sink.mjs'
import { median, percentile } from './statistics.mjs'

/** Some packages drop the events of browsers whose user agent says "headless". */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

const START_ROUNDS = 5
const STEADY_ROUNDS = 3
const BURST_ROUNDS = 3

/** A busy page: 1,000 events at 200 per second. `limitMs` stops slow agents. */
const STEADY = { events: 1000, perTask: 10, pauseMs: 50, limitMs: 30_000 }
/** As fast as possible, with pauses for the page's own tasks. */
const BURST = { events: 5000, perTask: 50, pauseMs: 4, limitMs: 20_000 }
/** All in one task. */
const ONE_TASK = { events: 5000, perTask: 5000, pauseMs: 0, limitMs: 1 }

/** Longest wait for all events, and for the next one, in milliseconds. */
const DELIVERY_MS = 30_000
const DELIVERY_PAUSE_MS = 8000

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Measures what agents cost a page in a real Chromium: size, eval + init under 4x CPU throttle, the time of `capture()` and the bytes
 * on the wire at a steady rate, and the long tasks of a burst of 5,000. Each round runs all agents, each in its own renderer.
 *
 * @param {(name: string) => boolean} [isSelected] Selects agents by name. Default all.
 */
export const runBrowserBench = async (isSelected = () => true) => {
  const folder = await installField()
  const page = await servePage()
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      // Requests to the vendors' own hosts fail at once for all packages.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
  try {
    const agents = []
    for (const agent of AGENTS.filter(({ name }) => isSelected(name)))
      agents.push({ ...agent, ...(await bundleAgent(agent, folder)) })
    const visit = (agent, measure) => visitPage(browser, page.url, agent, measure)
    const complete = agents.filter(({ onlyStart }) => !onlyStart)
    const starts = await measureInRounds([...agents, { name: EMPTY_PAGE, code: '' }], START_ROUNDS, visit, measureStart)
    const steady = await measureInRounds(complete, STEADY_ROUNDS, visit, measureSteady)
    const bursts = await measureInRounds(complete, BURST_ROUNDS, visit, measureBurst, isWithinTime)
    // The other agents would block the page for up to a minute.
    const ours = agents.filter(({ name }) => name === SCRIPT_TAG)
    const oneTask = await measureInRounds(ours, BURST_ROUNDS, visit, measureOneTask)
    return {
      chromium: browser.version(),
      sizes: await measureSizes(),
      emptyPage: starts[EMPTY_PAGE],
      agents: agents.map(({ name, version, bytes }) => ({
        name,
        version,
        bytes,
        start: starts[name],
        steady: steady[name],
        burst: bursts[name],
        oneTask: oneTask[name],
      })),
    }
  } finally {
    await browser.close()
    await page.close()
  }
}

/**
 * Measures all agents in each round, so that other load on the machine affects all of them. Returns the median of each figure and the
 * minimum of the delivered events.
 *
 * @param {(result: any) => boolean} [isRepeated] Whether an agent with this result also runs in the next rounds.
 */
const measureInRounds = async (agents, rounds, visit, measure, isRepeated = () => true) => {
  const measured = Object.fromEntries(agents.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const agent of agents) {
      const results = measured[agent.name]
      if (results.every(isRepeated)) results.push(await visit(agent, measure))
    }
  }
  return Object.fromEntries(Object.entries(measured).map(([name, results]) => [name, medians(results)]))
}

/** An agent that exceeds the time of a burst would do so in each round. */
const isWithinTime = ({ captured, delivered }) => captured === BURST.events && delivered === captured

const medians = (results) => {
  const valuesOf = (key) => results.map((result) => result[key])
  // The worst round counts: one lost event is a loss.
  const summarize = (key) => (key === 'delivered' ? Math.min(...valuesOf(key)) : median(valuesOf(key)))
  return Object.fromEntries(Object.keys(results[0]).map((key) => [key, round(summarize(key))]))
}

const round = (value) => Number(value.toFixed(2))

/** Opens a new renderer that has the agent's code but has not run it yet. */
const visitPage = async (browser, url, agent, measure) => {
  const sink = await startSink()
  const context = await browser.newContext({ userAgent: USER_AGENT })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable')
    await page.goto(url)
    await page.evaluate((code) => (globalThis.benchCode = code), agent.code)
    const dataset = agent.name === SCRIPT_TAG ? { key: 'bench', host: sink.url } : {}
    return await measure({
      page,
      sink,
      start: () => page.evaluate(startAgent, { host: sink.url, dataset }),
      throttle: (rate) => devtools.send('Emulation.setCPUThrottlingRate', { rate }),
      mainThreadMs: async () => {
        const { metrics } = await devtools.send('Performance.getMetrics')
        return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
      },
    })
  } finally {
    await context.close()
    await sink.close()
  }
}

const measureStart = async ({ start, throttle, mainThreadMs }) => {
  await throttle(4)
  const before = await mainThreadMs()
  const initMs = await start()
  await sleep(1500)
  return { initMs, mainThreadMs: (await mainThreadMs()) - before }
}

const measureSteady = async ({ page, sink, start, mainThreadMs }) => {
  await start()
  await sleep(1000)
  const before = await mainThreadMs()
  const calls = await page.evaluate(captureInTasks, STEADY)
  await waitUntilDelivered(sink.seen, STEADY.events)
  const { items, bodyBytes, bytesWithHeaders, requests, preflights } = sink.seen
  return {
    captureMedianMicroseconds: median(calls),
    captureP99Microseconds: percentile(calls, 0.99),
    captureMeanMicroseconds: mean(calls),
    mainThreadMs: (await mainThreadMs()) - before,
    delivered: items.size,
    bodyBytesPerEvent: bodyBytes / items.size,
    bytesPerEvent: bytesWithHeaders / items.size,
    requests,
    preflights,
  }
}

const measureBurst = async ({ page, sink, start }) => {
  await start()
  await sleep(1000)
  const calls = await page.evaluate(captureInTasks, BURST)
  await waitUntilDelivered(sink.seen, BURST.events)
  const longTasks = await page.evaluate(() => globalThis.stopCounting())
  return {
    captured: calls.length,
    captureMedianMicroseconds: median(calls),
    captureP99Microseconds: percentile(calls, 0.99),
    captureMeanMicroseconds: mean(calls),
    longTasks: longTasks.count,
    longTasksMs: longTasks.ms,
    delivered: sink.seen.items.size,
    deliveredTwice: sink.seen.events - sink.seen.items.size,
  }
}

const measureOneTask = async ({ page, sink, start }) => {
  await start()
  await sleep(1000)
  const calls = await page.evaluate(captureInTasks, ONE_TASK)
  await waitUntilDelivered(sink.seen, ONE_TASK.events)
  const longTasks = await page.evaluate(() => globalThis.stopCounting())
  return {
    captured: calls.length,
    longTasks: longTasks.count,
    longestTaskMs: longTasks.longestMs,
    delivered: sink.seen.items.size,
  }
}

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

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2)
  const isSelected = (agent) => !names.length || names.some((name) => agent.startsWith(name))
  console.log(JSON.stringify(await runBrowserBench(isSelected), null, 2))
}
