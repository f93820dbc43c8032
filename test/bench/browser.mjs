import { chromium } from 'playwright-core'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { findChromium } from '../support/chromium.mjs'
import { measureSizes } from '../size/measure.mjs'
import { median, percentile } from './statistics.mjs'

/** Captures per task, and tasks per run: a busy page, not a tight loop. */
const PER_TASK = 50
const TASKS = 100
const RUNS = 5

/**
 * What the agent costs a page, in real Chromium on a cross-origin isolated page (whose clock ticks in 5 µs): eval + init under 4x CPU throttle,
 * capture() per call, a burst of 5,000 with its long tasks, and bytes on the wire per event.
 */
export async function runBrowserBench() {
  const sink = await startSink()
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  try {
    const inits = []
    const means = []
    const tails = []
    const bursts = []
    for (let run = 0; run < RUNS; run++) {
      const page = await (await browser.newContext()).newPage()
      const throttle = await page.context().newCDPSession(page)
      await throttle.send('Emulation.setCPUThrottlingRate', { rate: 4 })
      await page.goto(sink.url)
      inits.push(await page.evaluate(() => globalThis.initMs))
      await throttle.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      // The first second is the page's own: flags arrive, code warms up.
      await page.evaluate(captureInTasks, { perTask: PER_TASK, tasks: 20 })
      const before = { ...sink.seen }
      const burst = await page.evaluate(captureInTasks, { perTask: PER_TASK, tasks: TASKS })
      const after = sink.seen
      const events = after.events - before.events
      means.push((burst.totalMs * 1000) / (PER_TASK * TASKS))
      tails.push(percentile(burst.taskMs, 0.99) * (1000 / PER_TASK))
      bursts.push({
        longTasks: burst.longTasks,
        delivered: events,
        bytesPerEvent: (after.bytes - before.bytes) / events,
      })
      await page.context().close()
    }
    return {
      sizes: await measureSizes(),
      initMsAt4xThrottle: median(inits),
      captureMeanMicroseconds: median(means),
      captureP99OfTasksMicroseconds: median(tails),
      burst: {
        captured: PER_TASK * TASKS,
        delivered: Math.min(...bursts.map((burst) => burst.delivered)),
        longTasks: median(bursts.map((burst) => burst.longTasks)),
      },
      wireBytesPerEvent: median(bursts.map((burst) => burst.bytesPerEvent)),
    }
  } finally {
    await browser.close()
    await sink.close()
  }
}

/** Runs in the page. */
async function captureInTasks({ perTask, tasks }) {
  let longTasks = 0
  const observer = new PerformanceObserver((list) => (longTasks += list.getEntries().length))
  observer.observe({ entryTypes: ['longtask'] })
  const taskMs = []
  for (let task = 0; task < tasks; task++) {
    const start = performance.now()
    for (let n = 0; n < perTask; n++)
      globalThis.waymark.capture('item viewed', { item: n, price: 12.5, currency: 'EUR' })
    taskMs.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, 4))
  }
  await globalThis.waymark.flush()
  observer.disconnect()
  return { taskMs, totalMs: taskMs.reduce((sum, ms) => sum + ms, 0), longTasks }
}

/** A backend that answers as the service does and counts what comes in. */
async function startSink() {
  // Inline, so that the time is eval + init and no download.
  const script = await readFile('dist/script.js', 'utf8')
  const page = `<!doctype html><title>bench</title><script>globalThis.startedAt = performance.now()</script>
    <script data-key="bench">${script}</script>
    <script>globalThis.initMs = performance.now() - startedAt</script>`
  const seen = { events: 0, bytes: 0 }
  const answers = {
    '/': ['text/html', () => page],
    '/decide/?v=3': ['application/json', () => JSON.stringify(DECIDE_ANSWER)],
    '/batch/': ['application/json', (body) => count(body)],
  }
  const count = (body) => {
    seen.bytes += body.length
    seen.events += JSON.parse(body[0] === 0x1f ? gunzipSync(body) : body).batch.length
    return '{"status":1}'
  }
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const [type, answer] = answers[request.url] ?? ['text/plain', () => '']
      response.setHeader('Content-Type', type)
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
      response.end(answer(Buffer.concat(chunks)))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

const DECIDE_ANSWER = {
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
  supportedCompression: ['gzip', 'lz64'],
  featureFlags: { 'new-checkout': 'calm', beta: true },
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
}
