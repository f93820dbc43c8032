import { execFileSync, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { load } from './decide/load.mjs'
import { definitions, PERSONS } from './flags/workload.mjs'
import { SERVICE_SCRIPT, startService } from './service-process.mjs'
import { median, percentile } from './statistics.mjs'

/**
 * Flag requests per second that the built service answers, for persons whose properties it has stored, beside a bare server of Node that
 * reads the same body and answers the same bytes; in turns. The client has a core of its own where there are two.
 */

const PATH = '/decide?v=3'
const CONNECTIONS = 32

/** How many flags of each kind there are. */
const FLAGS = Object.freeze({ boolean: 8, rollout: 6, 'five-filters': 6 })

const BARE_SERVER = fileURLToPath(new URL('decide/bare-server.mjs', import.meta.url))

const flagFile = () =>
  Object.entries(FLAGS).flatMap(([kind, count]) =>
    definitions()
      .flags.filter(({ key }) => key.startsWith(`${kind}-`))
      .slice(0, count),
  )

/** What an agent of a page sends, without properties: those are stored. */
const bodyOf = (apiKey, { distinctId }) =>
  JSON.stringify({
    token: apiKey,
    distinct_id: distinctId,
    $device_id: '019680f0-0000-7000-8000-000000000001',
    groups: {},
    person_properties: {},
    group_properties: {},
  })

const post = async (url, body) => {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${await answer.text()}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** Sets the flags, and stores the persons with a dozen properties more than the flags look at. */
const prepare = async ({ url, folder, apiKey, personalApiKey }) => {
  execFileSync(process.execPath, [SERVICE_SCRIPT, 'flag', 'set', '-', '--data-folder', folder], {
    input: JSON.stringify(flagFile()),
  })
  const more = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`$initial_property_${n}`, `value ${n}`]))
  const batch = PERSONS.map(({ distinctId, properties }) => ({
    event: '$identify',
    distinct_id: distinctId,
    properties: { $set: { ...properties, ...more } },
  }))
  await post(`${url}/batch/`, JSON.stringify({ api_key: apiKey, batch }))
  const count = async () => {
    const answer = await fetch(`${url}/api/environments/1/query/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: JSON.stringify({ query: 'select count(*) from persons' }),
    })
    return Number((await answer.json()).results[0][0])
  }
  while ((await count()) < PERSONS.length) await sleep(50)
  // Both the flags and the persons are then what a request is answered from.
  const last = PERSONS.at(-1)
  const isReady = async () => {
    const { featureFlags } = JSON.parse(String(await post(`${url}${PATH}`, bodyOf(apiKey, last))))
    const keys = Object.keys(featureFlags)
    return keys.length === flagFile().length && keys.some((key) => typeof featureFlags[key] === 'string')
  }
  while (!(await isReady())) await sleep(50)
}

const startBare = async (answer) => {
  const child = spawn(process.execPath, [BARE_SERVER], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(answer)
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()))
    child.once('exit', (code) => reject(new Error(`The bare server ended with ${code}.`)))
  })
  return { url, stop: () => child.kill() }
}

const summary = (results) => ({
  requestsPerSecond: Math.round(median(results.map(({ requestsPerSecond }) => requestsPerSecond))),
  p50Ms: round(median(results.map(({ latenciesMs }) => percentile(latenciesMs, 0.5)))),
  p99Ms: upwards(median(results.map(({ latenciesMs }) => percentile(latenciesMs, 0.99)))),
})

const round = (value) => Math.round(value * 10) / 10

/** Rounding must not meet a goal: what may not be above one is rounded up, what may not be below one is rounded down. */
const upwards = (value) => Math.ceil(value * 10) / 10
const downwards = (value) => Math.floor(value * 1000) / 1000

/**
 * @param {{ runs?: number, seconds?: number }} [options] Default 5 runs of 3 s each.
 */
export const runDecideBench = async ({ runs = 5, seconds = 3 } = {}) => {
  const service = await startService({})
  try {
    await prepare(service)
    const bodies = PERSONS.map((person) => bodyOf(service.apiKey, person))
    const bare = await startBare(await post(`${service.url}${PATH}`, bodies[0]))
    try {
      const results = { service: [], bare: [] }
      const options = { path: PATH, bodies, connections: CONNECTIONS, seconds }
      for (const { url } of [service, bare]) await load({ ...options, url, seconds: 2 })
      for (let run = 0; run < runs; run++) {
        results.service.push(await load({ ...options, url: service.url }))
        results.bare.push(await load({ ...options, url: bare.url }))
      }
      const [ours, theirs] = [summary(results.service), summary(results.bare)]
      return {
        connections: CONNECTIONS,
        flags: flagFile().length,
        service: ours,
        bare: theirs,
        ratio: downwards(ours.requestsPerSecond / theirs.requestsPerSecond),
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
