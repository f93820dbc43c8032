import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { startService } from '../service-process.mjs'
import { median } from '../statistics.mjs'
import { findIndexer } from './process-figures.mjs'
import { waitUntilIndexed } from './public-api.mjs'

/** @import { BenchService } from './data-folder.mjs' */

const PROJECTS = 200
const IDS = 20_000
const MERGES = 200
const LARGE_PERSONS = 200
const LARGE_PROPERTIES = 50
const PROPERTY_BYTES = 8_000
/** Rounds of each part, of which the median counts. */
const ROUNDS = 5
const POLL_MS = 10
/** Events of one request. */
const REQUEST_EVENTS = 20
const MERGE_REQUEST_EVENTS = 5000

/**
 * Measures what costs the indexer most for the bytes that a client sends: events of many small projects, merges of persons with many distinct
 * ids, and changes of persons with large properties.
 */
export const runChangesBench = async () => {
  const service = await startService({})
  try {
    return {
      projects: await measureProjects(service),
      merges: await measureMerges(service),
      largePersons: await measureLargePersons(service),
    }
  } finally {
    await service.stop()
  }
}

const measureProjects = async (/** @type {BenchService} */ service) => {
  const keys = []
  for (let n = 0; n < PROJECTS; n++) keys.push(await createProject(service, `Project ${n}`))
  const round = async () => {
    for (const key of keys) await send(service, [{ event: 'visit', distinct_id: 'user' }], key)
  }
  // The first events create the stores.
  await round()
  await waitUntilIndexed(service, undefined, POLL_MS)
  const { milliseconds } = await measureRounds(service, round)
  return { projects: PROJECTS, milliseconds, perSecond: perSecond(PROJECTS, milliseconds) }
}

const measureMerges = async (/** @type {BenchService} */ service) => {
  const ids = Array.from({ length: IDS }, (_, n) => ({
    event: '$identify',
    distinct_id: 'main',
    properties: { $anon_distinct_id: `id ${n}` },
  }))
  for (let first = 0; first < IDS; first += MERGE_REQUEST_EVENTS)
    await send(service, ids.slice(first, first + MERGE_REQUEST_EVENTS))
  await waitUntilIndexed(service, undefined, POLL_MS)
  const { milliseconds } = await measureRounds(service, (round) => {
    const others = Array.from({ length: MERGES }, (_, n) => `other ${round} ${n}`)
    const events = others.flatMap((other) => [
      { event: 'seen', distinct_id: other },
      { event: '$create_alias', distinct_id: 'main', properties: { alias: other } },
    ])
    return send(service, events)
  })
  return { ids: IDS, perSecond: perSecond(MERGES, milliseconds) }
}

const measureLargePersons = async (/** @type {BenchService} */ service) => {
  const properties = (/** @type {number} */ person) =>
    Object.fromEntries(
      Array.from({ length: LARGE_PROPERTIES }, (_, n) => [`property ${n}`, `${person}`.padEnd(PROPERTY_BYTES, 'x')]),
    )
  for (let person = 0; person < LARGE_PERSONS; person++)
    await send(service, [{ event: 'set', distinct_id: `large ${person}`, properties: { $set: properties(person) } }])
  await waitUntilIndexed(service, undefined, POLL_MS)
  const { milliseconds, writtenBytes } = await measureRounds(service, async (round) => {
    const changes = Array.from({ length: LARGE_PERSONS }, (_, n) => ({
      event: 'set',
      distinct_id: `large ${n}`,
      properties: { $set: { plan: `plan ${round}` } },
    }))
    for (let first = 0; first < LARGE_PERSONS; first += REQUEST_EVENTS)
      await send(service, changes.slice(first, first + REQUEST_EVENTS))
  })
  return {
    kilobytes: Math.round((LARGE_PROPERTIES * PROPERTY_BYTES) / 1000),
    perSecond: perSecond(LARGE_PERSONS, milliseconds),
    writtenBytesPerChange: Math.round(writtenBytes / LARGE_PERSONS),
  }
}

/** @param {(round: number) => Promise<void>} run */
const measureRounds = async (/** @type {BenchService} */ service, run) => {
  const [times, writtenBytes] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    const indexer = findIndexer(service.pid)
    const writtenBefore = readWrittenBytes(indexer)
    const startedAt = performance.now()
    await run(round)
    await waitUntilIndexed(service, undefined, POLL_MS)
    times.push(performance.now() - startedAt)
    // A planned replacement of the indexer counts from zero.
    if (findIndexer(service.pid) === indexer) writtenBytes.push(readWrittenBytes(indexer) - writtenBefore)
  }
  return { milliseconds: Math.round(median(times)), writtenBytes: median(writtenBytes) }
}

const perSecond = (/** @type {number} */ count, /** @type {number} */ milliseconds) =>
  Math.round((count * 1000) / milliseconds)

/** What a process handed to the disk, see proc_pid_io(5). */
const readWrittenBytes = (/** @type {number} */ pid) =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1])

const createProject = async (/** @type {BenchService} */ { url, personalApiKey }, /** @type {string} */ name) => {
  const response = await fetch(`${url}/api/projects/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ name }),
  })
  const project = await response.json()
  if (!response.ok) throw new Error(project.detail)
  return project.api_token
}

/** @param {readonly object[]} batch */
const send = async (/** @type {BenchService} */ { url, apiKey }, batch, key = apiKey) => {
  const response = await fetch(`${url}/batch/`, {
    method: 'POST',
    body: gzipSync(JSON.stringify({ api_key: key, batch })),
  })
  if (!response.ok) throw new Error(await response.text())
}
