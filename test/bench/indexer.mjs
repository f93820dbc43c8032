import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openService } from '../../src/service/dist/index.js'
import { median, percentile } from './statistics.mjs'

const Sqlite = createRequire(new URL('../../src/service/package.json', import.meta.url))('better-sqlite3')

const BATCH = 100
const PEOPLE = 20_000

/**
 * Measures how fast the indexer processes a full inbox, with and without person profiles, and the time from acknowledgement to
 * queryability at a steady rate. Client, front and indexer share the machine.
 */
export const runIndexerBench = async ({ runs = 3, events = 100_000, rate = 5000, seconds = 20 } = {}) => {
  const measureBacklog = async (profiles) => {
    const rates = []
    for (let run = 0; run < runs; run++) rates.push(await processBacklog(events, profiles))
    return Math.round(median(rates))
  }
  return {
    eventsPerSecond: await measureBacklog(false),
    eventsPerSecondWithProfiles: await measureBacklog(true),
    [`queryableAfterMsAt${rate}PerSecond`]: await measureSteady(rate, seconds),
  }
}

/** Fills the inbox of a stopped service, starts the service and returns the events per second until the inbox is empty. */
const processBacklog = async (events, profiles) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'waymark-bench-'))
  const first = await openService({ dataFolder, port: 0 })
  const { id, apiKey, personalApiKey } = first.project
  await first.close()

  const inbox = new Sqlite(join(dataFolder, 'inbox.sqlite'))
  const insert = inbox.prepare('INSERT INTO request (project_id, received_at, form, body) VALUES (?, ?, ?, ?)')
  inbox.transaction(() => {
    for (let n = 0; n < events; n += BATCH) insert.run(id, Date.now(), '{}', createBody(apiKey, n, profiles))
  })()
  inbox.close()

  const service = await openService({ dataFolder, port: 0 })
  const startedAt = performance.now()
  const { url } = await service.listen()
  while ((await countEvents(url, id, personalApiKey)) < events) await new Promise((resolve) => setTimeout(resolve, 20))
  const durationMs = performance.now() - startedAt
  await service.close()
  await rm(dataFolder, { recursive: true })
  return (events / durationMs) * 1000
}

/** Sends batches at a steady rate and meanwhile polls how many events a query sees. */
const measureSteady = async (rate, seconds) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'waymark-bench-'))
  const service = await openService({ dataFolder, port: 0 })
  const { url } = await service.listen()
  const { id, apiKey, personalApiKey } = service.project
  const bodies = Array.from({ length: (rate * seconds) / BATCH }, (_, n) => createBody(apiKey, n * BATCH, true))

  const acknowledged = []
  const delaysMs = []
  const sending = { ended: false }
  const pollCounts = async () => {
    let seen = 0
    while (!sending.ended || seen < acknowledged.length) {
      const count = await countEvents(url, id, personalApiKey)
      for (; seen < Math.min(acknowledged.length, count / BATCH); seen++)
        delaysMs.push(performance.now() - acknowledged[seen])
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const polling = pollCounts()
  const startedAt = performance.now()
  for (const [n, body] of bodies.entries()) {
    const due = startedAt + (n * BATCH * 1000) / rate
    if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    const { status } = await fetch(`${url}/batch/`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })
    if (status !== 200) throw new Error(`The service responded with ${status}; expected 200.`)
    acknowledged.push(performance.now())
  }
  sending.ended = true
  await polling
  await service.close()
  await rm(dataFolder, { recursive: true })
  return {
    p50: Math.round(percentile(delaysMs, 0.5)),
    p99: Math.round(percentile(delaysMs, 0.99)),
    max: Math.round(Math.max(...delaysMs)),
  }
}

const countEvents = async (url, id, personalApiKey) => {
  const response = await fetch(`${url}/api/environments/${id}/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query: 'SELECT count(*) FROM events' }),
  })
  return (await response.json()).results[0][0]
}

/** Creates a gzip batch of page views with the properties that a browser sends. */
const createBody = (apiKey, from, profiles) => {
  const batch = Array.from({ length: BATCH }, (_, index) => {
    const n = from + index
    const time = Date.now()
    return {
      uuid: createUuid(time, n),
      event: '$pageview',
      distinct_id: `visitor-${n % PEOPLE}`,
      timestamp: new Date(time).toISOString(),
      properties: {
        $process_person_profile: profiles,
        $current_url: `https://shop.example/product/${n % 100}?ref=${Math.random().toString(36)}`,
        $pathname: `/product/${n % 100}`,
        $host: 'shop.example',
        $browser: 'Chrome',
        $browser_version: 150,
        $os: 'Linux',
        $device_type: 'Desktop',
        $session_id: `session-${n % 1000}`,
        $window_id: `window-${n % 1000}`,
        $lib: 'web',
        $lib_version: '0.1.0',
        $referrer: '$direct',
        $referring_domain: '$direct',
        $screen_height: 1080,
        $screen_width: 1920,
        $viewport_height: 900,
        $viewport_width: 1600,
        $timezone: 'Europe/Berlin',
        plan: 'pro',
      },
    }
  })
  return gzipSync(JSON.stringify({ api_key: apiKey, batch }))
}

/** Creates a uuid of version 7. */
const createUuid = (time, n) => {
  const hex = (value, digits) => Math.floor(value).toString(16).padStart(digits, '0').slice(-digits)
  const start = hex(time, 12)
  return `${start.slice(0, 8)}-${start.slice(8)}-7${hex(n, 3)}-8${hex(Math.random() * 4096, 3)}-${hex(Math.random() * 2 ** 48, 12)}`
}
