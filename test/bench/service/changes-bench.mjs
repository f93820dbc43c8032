import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { startService } from '../service-process.mjs'
import { findIndexer } from './process-figures.mjs'
import { waitUntilIndexed } from './public-api.mjs'

/** @import { BenchService } from './data-folder.mjs' */

const PROJECTS = 200
const IDS = 20_000
const MERGES = 200
const LARGE_PERSONS = 200
const LARGE_PROPERTIES = 50
const PROPERTY_BYTES = 8_000
/** Rounds of each part. The best counts: what else runs on the machine only makes a round slower. */
const ROUNDS = 3
const POLL_MS = 10
/** Events of one request. */
const REQUEST_EVENTS = 20

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
  const { bestMs } = await measureRounds(service, round)
  return { projects: PROJECTS, milliseconds: Math.round(bestMs), perSecond: perSecond(PROJECTS, bestMs) }
}

const measureMerges = async (/** @type {BenchService} */ service) => {
  const alias = (/** @type {string} */ distinctId, /** @type {string} */ main) => ({
    event: '$create_alias',
    distinct_id: distinctId,
    properties: { alias: main },
  })
  const ids = Array.from({ length: IDS }, (_, n) => alias(`id ${n}`, 'main'))
  for (let first = 0; first < IDS; first += 1000) await send(service, ids.slice(first, first + 1000))
  await waitUntilIndexed(service, undefined, POLL_MS)
  // Each joins the large person to a new one, which stays.
  const { bestMs } = await measureRounds(service, (round) =>
    send(
      service,
      Array.from({ length: MERGES }, (_, n) => [
        { event: '$identify', distinct_id: `other ${round} ${n}` },
        alias('main', `other ${round} ${n}`),
      ]).flat(),
    ),
  )
  return { ids: IDS, perSecond: perSecond(MERGES, bestMs) }
}

const measureLargePersons = async (/** @type {BenchService} */ service) => {
  const properties = (/** @type {number} */ person) =>
    Object.fromEntries(
      Array.from({ length: LARGE_PROPERTIES }, (_, n) => [`property ${n}`, `${person}`.padEnd(PROPERTY_BYTES, 'x')]),
    )
  for (let person = 0; person < LARGE_PERSONS; person++)
    await send(service, [{ event: 'set', distinct_id: `large ${person}`, properties: { $set: properties(person) } }])
  await waitUntilIndexed(service, undefined, POLL_MS)
  const { bestMs, bestBytes } = await measureRounds(service, async (round) => {
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
    perSecond: perSecond(LARGE_PERSONS, bestMs),
    writtenBytesPerChange: Math.round(bestBytes / LARGE_PERSONS),
  }
}

/** @param {(round: number) => Promise<void>} run */
const measureRounds = async (/** @type {BenchService} */ service, run) => {
  let [bestMs, bestBytes] = [Infinity, Infinity]
  for (let round = 0; round < ROUNDS; round++) {
    const indexer = findIndexer(service.pid)
    const writtenBefore = readWrittenBytes(indexer)
    const startedAt = performance.now()
    await run(round)
    await waitUntilIndexed(service, undefined, POLL_MS)
    bestMs = Math.min(bestMs, performance.now() - startedAt)
    // A planned replacement of the indexer counts from zero.
    if (findIndexer(service.pid) === indexer) bestBytes = Math.min(bestBytes, readWrittenBytes(indexer) - writtenBefore)
  }
  return { bestMs, bestBytes }
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
