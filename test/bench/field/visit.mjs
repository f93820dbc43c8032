import { startSink } from './sink.mjs'
import { startSite } from './site.mjs'

/**
 * What a measure gets: the page before it has opened the agent's site.
 *
 * @typedef {object} Visit
 * @property {import('playwright-core').Browser} browser
 * @property {import('playwright-core').Page} page
 * @property {Awaited<ReturnType<typeof startSite>>} site
 * @property {Awaited<ReturnType<typeof startSink>>['seen']} seen What the agent's service has received.
 * @property {() => Promise<void>} open Opens the page of the agent, and resolves when its script has run.
 * @property {(windowMs: number) => Promise<void>} openFor Opens it, and resolves that many milliseconds after the start of the navigation.
 * @property {(rate: number) => Promise<void>} throttle Makes the CPU slower by a factor.
 * @property {() => Promise<CpuTimes>} readCpuTimes
 */

/**
 * CPU time, for which other load on the machine makes little difference, unlike for the time of a clock.
 *
 * @typedef {object} CpuTimes
 * @property {number} tasksMs Of the tasks of the main thread since the navigation began. Between tasks the throttled CPU is never idle.
 * @property {number} processMs Of all threads of the renderer since its start.
 */

/**
 * Measures a first visit: a new profile in a renderer of its own, and a site and a service that no other visit has used.
 *
 * @param {import('playwright-core').BrowserContext} context Closed at the end.
 * @param {import('./bundle.mjs').BuiltAgent} agent
 * @param {(visit: Visit) => Promise<any>} measure
 * @param {string} [onLoad] What the page runs after the script, as JavaScript.
 */
export const visitSite = async (context, agent, measure, onLoad) => {
  const sink = await startSink()
  const site = await startSite(agent, sink.url, onLoad)
  try {
    const page = await context.newPage()
    // The start of the renderer is not the agent's: the page with the agent uses the same one.
    await page.goto(site.blankUrl)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    return await measure({
      browser: context.browser(),
      page,
      site,
      seen: sink.seen,
      open: async () => void (await page.goto(site.url)),
      openFor: async (windowMs) => {
        const startedAt = performance.now()
        await page.goto(site.url, { waitUntil: 'commit' })
        await sleep(startedAt + windowMs - performance.now())
      },
      throttle: (rate) => devtools.send('Emulation.setCPUThrottlingRate', { rate }),
      readCpuTimes: () => readCpuTimes(devtools),
    })
  } finally {
    await context.close()
    await site.close()
    await sink.close()
  }
}

const readCpuTimes = async (devtools) => {
  const { metrics } = await devtools.send('Performance.getMetrics')
  const milliseconds = (name) => metrics.find((metric) => metric.name === name).value * 1000
  // A navigation begins a new count of the first, not of the second.
  return { tasksMs: milliseconds('TaskDuration'), processMs: milliseconds('ProcessTime') }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
