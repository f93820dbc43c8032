import { execFileSync, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sendLoad } from './decide/load.mjs'
import { definitions, PERSONS } from './flags/workload.mjs'
import { SERVICE_SCRIPT, startService } from './service-process.mjs'
import { median, percentile } from './statistics.mjs'

/**
 * Measures the flag requests per second of the built service for persons with stored properties. A bare Node server that reads the same
 * body and sends the same bytes is measured alternately. The client needs its own core.
 */

const PATH = '/decide?v=3'
const CONNECTIONS = 32

/** Number of flags of each kind. */
const FLAGS = Object.freeze({ boolean: 8, rollout: 6, 'five-filters': 6 })

const BARE_SERVER = fileURLToPath(new URL('decide/bare-server.mjs', import.meta.url))

const flagFile = () =>
  Object.entries(FLAGS).flatMap(([kind, count]) =>
    definitions()
      .flags.filter(({ key }) => key.startsWith(`${kind}-`))
      .slice(0, count),
  )

/** The request body of a browser agent, without properties because those are stored. */
const createBody = (apiKey, { distinctId }) =>
  JSON.stringify({
    token: apiKey,
    distinct_id: distinctId,
    $device_id: '019680f0-0000-7000-8000-000000000001',
    groups: {},
    person_properties: {},
    group_properties: {},
  })

const post = async (url, body) => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (!response.ok) throw new Error(`${url} failed with ${response.status}: ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

/** Sets the flags and stores the persons, each with a dozen properties that the flags do not use. */
const prepare = async ({ url, folder, apiKey, personalApiKey }) => {
  execFileSync(process.execPath, [SERVICE_SCRIPT, 'flag', 'set', '-', '--data-folder', folder], {
    input: JSON.stringify(flagFile()),
  })
  const unusedProperties = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`$initial_property_${n}`, `value ${n}`]),
  )
  const batch = PERSONS.map(({ distinctId, properties }) => ({
    event: '$identify',
    distinct_id: distinctId,
    properties: { $set: { ...properties, ...unusedProperties } },
  }))
  await post(`${url}/batch/`, JSON.stringify({ api_key: apiKey, batch }))
  const count = async () => {
    const response = await fetch(`${url}/api/environments/1/query/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: JSON.stringify({ query: 'select count(*) from persons' }),
    })
    return Number((await response.json()).results[0][0])
  }
  while ((await count()) < PERSONS.length) await sleep(50)
  // A response now uses both the flags and the stored persons.
  const last = PERSONS.at(-1)
  const isReady = async () => {
    const { featureFlags } = JSON.parse(String(await post(`${url}${PATH}`, createBody(apiKey, last))))
    const keys = Object.keys(featureFlags)
    return keys.length === flagFile().length && keys.some((key) => typeof featureFlags[key] === 'string')
  }
  while (!(await isReady())) await sleep(50)
}

const startBareServer = async (responseBody) => {
  const child = spawn(process.execPath, [BARE_SERVER], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(responseBody)
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()))
    child.once('exit', (code) => reject(new Error(`The bare server exited with code ${code} before it listened.`)))
  })
  return { url, stop: () => child.kill() }
}

const summarize = (results) => ({
  requestsPerSecond: Math.round(median(results.map(({ requestsPerSecond }) => requestsPerSecond))),
  p50Ms: round(median(results.map(({ latenciesMs }) => percentile(latenciesMs, 0.5)))),
  p99Ms: roundUp(median(results.map(({ latenciesMs }) => percentile(latenciesMs, 0.99)))),
})

const round = (value) => Math.round(value * 10) / 10

/** Rounding must not help to meet a goal: upper limits are rounded up, lower limits down. */
const roundUp = (value) => Math.ceil(value * 10) / 10
const roundDown = (value) => Math.floor(value * 1000) / 1000

/**
 * @param {{ runs?: number, seconds?: number }} [options] Default 5 runs of 3 s each.
 */
export const runDecideBench = async ({ runs = 5, seconds = 3 } = {}) => {
  const service = await startService({})
  try {
    await prepare(service)
    const bodies = PERSONS.map((person) => createBody(service.apiKey, person))
    const bare = await startBareServer(await post(`${service.url}${PATH}`, bodies[0]))
    try {
      const results = { service: [], bare: [] }
      const options = { path: PATH, bodies, connections: CONNECTIONS, seconds }
      for (const { url } of [service, bare]) await sendLoad({ ...options, url, seconds: 2 })
      for (let run = 0; run < runs; run++) {
        results.service.push(await sendLoad({ ...options, url: service.url }))
        results.bare.push(await sendLoad({ ...options, url: bare.url }))
      }
      const [ours, theirs] = [summarize(results.service), summarize(results.bare)]
      return {
        connections: CONNECTIONS,
        flags: flagFile().length,
        service: ours,
        bare: theirs,
        ratio: roundDown(ours.requestsPerSecond / theirs.requestsPerSecond),
      }
    } finally {
      bare.stop()
    }
  } finally {
    await service.stop()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [runs, seconds] = process.argv.slice(2).map(Number)
  console.log(JSON.stringify(await runDecideBench({ runs, seconds }), null, 2))
}
