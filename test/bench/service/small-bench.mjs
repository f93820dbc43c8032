import { gzipSync } from 'node:zlib'
import autocannon from 'autocannon'
import { startService } from '../service-process.mjs'
import { median, percentile } from '../statistics.mjs'
import { runQuery } from './public-api.mjs'

/**
 * Measures, with small events that are all alike, how many events per second the built service acknowledges while its indexer runs, with and
 * without durability, and the time from acknowledgement to queryability. Each figure is the median of the runs. Clients and service share
 * the machine.
 */

const BATCH = 100
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** About the size of a browser event. It has no uuid, so that a body sent repeatedly creates many events. */
const createEvent = (n) => ({
  event: '$pageview',
  distinct_id: `user-${n % 1000}`,
  timestamp: new Date().toISOString(),
  properties: {
    distinct_id: `user-${n % 1000}`,
    $current_url: `https://shop.example/products/${n}?utm_source=news&utm_medium=email`,
    $pathname: `/products/${n}`,
    $host: 'shop.example',
    $browser: 'Chrome',
    $browser_version: 156,
    $os: 'Linux',
    $device_type: 'Desktop',
    $referrer: 'https://search.example/',
    $referring_domain: 'search.example',
    $screen_width: 1920,
    $screen_height: 1080,
    $viewport_width: 1280,
    $viewport_height: 720,
    $timezone: 'Europe/Berlin',
    $session_id: '019680f0-0000-7000-8000-000000000001',
    $window_id: '019680f0-0000-7000-8000-000000000002',
    $lib: 'waymark',
    $lib_version: '0.1.0',
    title: 'A product of the shop',
  },
})

/** Posts as fast as the service responds and returns acknowledged events per second. */
const sendLoad = async ({ url, apiKey }, kind, seconds) => {
  const isBatch = kind === 'batch'
  const body = isBatch
    ? gzipSync(JSON.stringify({ api_key: apiKey, batch: Array.from({ length: BATCH }, (_, n) => createEvent(n)) }))
    : JSON.stringify({ api_key: apiKey, ...createEvent(1) })
  const result = await autocannon({
    url: `${url}${isBatch ? '/batch/' : '/i/v0/e/'}`,
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain' },
    connections: isBatch ? 16 : 64,
    duration: seconds,
  })
  const accepted = result['2xx']
  return {
    eventsPerSecond: Math.round((accepted * (isBatch ? BATCH : 1)) / result.duration),
    p99Ms: result.latency.p99,
    refused: result.non2xx + result.errors,
  }
}

/** Measures one run on a new service, so that no run inherits the backlog of the previous one. */
const measure = async (kind, synchronous, seconds) => {
  const service = await startService({ WAYMARK_INBOX_SYNCHRONOUS: synchronous })
  try {
    await sendLoad(service, kind, 1)
    return await sendLoad(service, kind, seconds)
  } finally {
    await service.stop()
  }
}

const summarize = (results) => ({
  eventsPerSecond: median(results.map(({ eventsPerSecond }) => eventsPerSecond)),
  p99Ms: median(results.map(({ p99Ms }) => p99Ms)),
  refused: results.reduce((sum, { refused }) => sum + refused, 0),
})

/** Alternates runs with and without durability, so that other load on the machine affects both. */
const compareDurability = async (kind, { runs, seconds }) => {
  const results = { full: [], off: [] }
  for (let run = 0; run < runs; run++) {
    for (const synchronous of ['full', 'off']) results[synchronous].push(await measure(kind, synchronous, seconds))
  }
  const [durable, notDurable] = [summarize(results.full), summarize(results.off)]
  return { durable, notDurable, ratio: Number((durable.eventsPerSecond / notDurable.eventsPerSecond).toFixed(2)) }
}

/** Measures milliseconds from a 200 response to the first query that finds the event. */
const measureFreshness = async (samples) => {
  const service = await startService({ WAYMARK_INBOX_SYNCHRONOUS: 'full' })
  const countEvents = async (uuid) =>
    Number((await runQuery(service, `select count(*) from events where uuid = '${uuid}'`)).results[0][0])
  try {
    const delaysMs = []
    for (let n = 0; n < samples; n++) {
      const uuid = crypto.randomUUID()
      const body = JSON.stringify({ api_key: service.apiKey, ...createEvent(n), uuid })
      await (await fetch(`${service.url}/i/v0/e/`, { method: 'POST', body })).text()
      const acknowledgedAt = performance.now()
      while ((await countEvents(uuid)) === 0) await sleep(2)
      delaysMs.push(performance.now() - acknowledgedAt)
    }
    return { samples, p50Ms: Math.round(percentile(delaysMs, 0.5)), p99Ms: Math.round(percentile(delaysMs, 0.99)) }
  } finally {
    await service.stop()
  }
}

/**
 * @param {{ runs?: number, seconds?: number, samples?: number }} [options] Default 3 runs of 5 s each, 200 samples.
 */
export const runSmallBench = async ({ runs = 3, seconds = 5, samples = 200 } = {}) => ({
  single: { connections: 64, ...(await compareDurability('single', { runs, seconds })) },
  batch: { connections: 16, eventsPerBatch: BATCH, ...(await compareDurability('batch', { runs, seconds })) },
  acknowledgedToQueryable: await measureFreshness(samples),
})
