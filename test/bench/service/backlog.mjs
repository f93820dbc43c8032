import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../service-process.mjs'
import { median } from '../statistics.mjs'
import { createSiteRequests } from './site-load.mjs'

const Sqlite = createRequire(new URL('../../../src/service/package.json', import.meta.url))('better-sqlite3')
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The time of the first event. Fixed, so that each run gets the same events. */
const START_MS = Date.UTC(2026, 0, 1)
/** 1 million events in 9 days, as of a site with 100,000 events a day. */
const EVENTS_PER_MS = 1_000_000 / (9 * 86_400_000)

/** CPU times in /proc are in ticks of 10 ms (USER_HZ). */
const MS_PER_TICK = 10

/** Interval of the samples of progress. Each asks the front to count the waiting rows. */
const SAMPLE_MS = 250

/**
 * Measures how the indexer works off a backlog of events as sites send them (`site-load.mjs`): the rate, over all events and over the first
 * and the last tenth, the CPU time of the indexer process, the peak memory of both processes, and the size of the stored events.
 *
 * @param {{ runs?: number, eventCount?: number }} [options]
 */
export const runBacklogBench = async ({ runs = 3, eventCount = 1_000_000 } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  try {
    await fillInbox(folder, eventCount)
    const results = []
    for (let run = 0; run < runs; run++) results.push(await workOffCopy(folder, eventCount))
    const medianOf = (name) => median(results.map((result) => result[name]))
    return { eventCount, ...Object.fromEntries(Object.keys(results[0]).map((name) => [name, medianOf(name)])) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes the requests into the inbox of a stopped service. */
const fillInbox = async (folder, eventCount) => {
  const service = await startService({}, folder)
  const { apiKey } = service
  await service.stop()
  const inbox = new Sqlite(join(folder, 'inbox.sqlite'))
  inbox.pragma('synchronous = off')
  const insert = inbox.prepare('INSERT INTO request (project_id, received_at, form, body) VALUES (1, ?, ?, ?)')
  inbox.transaction(() => {
    for (const { body } of createSiteRequests({ apiKey, eventCount, startMs: START_MS, eventsPerMs: EVENTS_PER_MS }))
      insert.run(Date.now(), '{}', body)
  })()
  inbox.close()
}

const workOffCopy = async (source, eventCount) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  cpSync(source, folder, { recursive: true })
  try {
    const startedAt = performance.now()
    const service = await startService({}, folder)
    const { indexerPid, samples } = await waitUntilIndexed(service, startedAt)
    /** Events per second between two shares of the backlog; all parts of it have the same mixture. */
    const rateBetween = (from, to) =>
      Math.round(((to - from) * eventCount * 1000) / (timeAtShare(samples, to) - timeAtShare(samples, from)))
    const result = {
      eventsPerSecond: rateBetween(0, 1),
      firstTenthPerSecond: rateBetween(0, 0.1),
      lastTenthPerSecond: rateBetween(0.9, 1),
      indexerCpuMicrosecondsPerEvent: Number(((readCpuMs(indexerPid) * 1000) / eventCount).toFixed(1)),
      frontPeakMb: Math.round(readPeakKb(service.pid) / 1024),
      indexerPeakMb: Math.round(readPeakKb(indexerPid) / 1024),
    }
    await service.stop()
    return { ...result, bytesPerEvent: Math.round(readStoredBytes(folder) / eventCount) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const waitUntilIndexed = async (service, startedAt) => {
  const samples = []
  for (;;) {
    const { indexer } = await (await fetch(`${service.url}/healthz`)).json()
    samples.push({ elapsedMs: performance.now() - startedAt, behindRows: indexer.behindRows })
    if (indexer.behindRows === 0) return { samples, indexerPid: findChildPid(service.pid) }
    await sleep(SAMPLE_MS)
  }
}

/** When a share of the backlog was stored. Commits are large, so the time between two of them is divided evenly. */
const timeAtShare = (samples, share) => {
  const total = samples[0].behindRows
  const steps = samples.filter(({ behindRows }, index) => index === 0 || behindRows < samples[index - 1].behindRows)
  const points = [{ elapsedMs: 0, behindRows: total }, ...steps]
  const index = Math.max(
    1,
    points.findIndex(({ behindRows }) => behindRows <= total * (1 - share)),
  )
  const [before, after] = [points[index - 1], points[index]]
  const rows = before.behindRows - after.behindRows
  const part = rows === 0 ? 0 : (before.behindRows - total * (1 - share)) / rows
  return before.elapsedMs + part * (after.elapsedMs - before.elapsedMs)
}

const findChildPid = (pid) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

/** User and system time of a process; fields 14 and 15 of proc_pid_stat(5). */
const readCpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

const readPeakKb = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])

/** Size of all files but the inbox, which keeps the space of deleted rows for new ones. */
const readStoredBytes = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('inbox.sqlite'))
    .reduce((bytes, entry) => bytes + statSync(join(entry.parentPath, entry.name)).size, 0)

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [eventCount, runs] = process.argv.slice(2).map(Number)
  console.log(JSON.stringify(await runBacklogBench({ eventCount, runs }), null, 2))
}
