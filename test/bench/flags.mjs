import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installField } from './field/install.mjs'
import { bundleEvaluator } from './flags/bundle-evaluator.mjs'
import { startDefinitionsEndpoint } from './flags/definitions-endpoint.mjs'
import { startPackages } from './flags/packages.mjs'
import { definitions, KEYS, PERSONS } from './flags/workload.mjs'
import { median, percentile, seededRandom, shuffled } from './statistics.mjs'

/**
 * Nanoseconds per flag evaluation of our evaluator beside what servers use today, in one process. Each round gives every package a slice of
 * time for every column, so that what else the machine does meets all of them, and in an order of its own, so that what one leaves behind
 * does not always meet the same other; each figure is the median of the rounds.
 */

/** What is measured, and how it is asked of a package. */
const COLUMNS = {
  boolean: ({ one }) => one(KEYS.boolean[7]),
  rollout: ({ one }) => one(KEYS.rollout[7]),
  fiveFilters: ({ one }) => one(KEYS.fiveFilters[7]),
  allFlags: ({ all }) => all,
}

const ALLOCATION = fileURLToPath(new URL('flags-allocation.mjs', import.meta.url))
const ROOMY = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

/** Milliseconds of one slice, and of the warming up before the first. Calls that answer promises take far longer: fewer fit in. */
const TIMES = { sync: { slice: 15, warmUp: 200 }, async: { slice: 50, warmUp: 1000 } }

/** Of the order of the rounds, which is then the same in each run of this program. */
const SEED = 20_260_801

/** Calls of which the clock is read once. */
const CALLS_PER_LOOK = { boolean: 200, rollout: 100, fiveFilters: 100, allFlags: 2 }

/** Persons for whom all values are compared. */
const COMPARED_PERSONS = 100

const slice = async (call, isAsync, calls, milliseconds) => {
  const start = performance.now()
  let [done, elapsed, person] = [0, 0, 0]
  while (elapsed < milliseconds) {
    for (let n = 0; n < calls; n++) {
      const given = PERSONS[person]
      person = person + 1 === PERSONS.length ? 0 : person + 1
      if (isAsync) await call(given)
      else call(given)
    }
    done += calls
    elapsed = performance.now() - start
  }
  return (elapsed * 1e6) / done
}

/** Whether the packages that are said to share our buckets do; a comparison of their speed would be none otherwise. */
const compareValues = async (packages) => {
  const [first, ...others] = packages.filter(({ sharesBuckets }) => sharesBuckets)
  let compared = 0
  for (const key of Object.values(KEYS).flat()) {
    const expected = first.one(key)
    for (const { name, version, one } of others) {
      const call = one(key)
      for (const person of PERSONS.slice(0, COMPARED_PERSONS)) {
        const [ours, theirs] = [await expected(person), await call(person)]
        if (ours !== theirs)
          throw new Error(`${key} of ${person.distinctId} is ${ours}, and for ${name} ${version} ${theirs}.`)
        compared++
      }
    }
  }
  return compared
}

const spread = (samples) => (percentile(samples, 0.75) - percentile(samples, 0.25)) / median(samples)

const measureAll = async (packages, rounds) => {
  const runs = packages.flatMap((each) =>
    Object.entries(COLUMNS).map(([column, callOf]) => ({ each, column, call: callOf(each), samples: [] })),
  )
  const measure = ({ each, column, call }, milliseconds) =>
    slice(call, each.isAsync, each.isAsync ? 1 : CALLS_PER_LOOK[column], milliseconds)
  const timesOf = ({ each }) => (each.isAsync ? TIMES.async : TIMES.sync)
  const random = seededRandom(SEED)
  for (const run of shuffled(runs, random)) await measure(run, timesOf(run).warmUp)
  for (let round = 0; round < rounds; round++)
    for (const run of shuffled(runs, random)) run.samples.push(await measure(run, timesOf(run).slice))
  const figuresOf = (each, figure) =>
    Object.fromEntries(runs.filter((run) => run.each === each).map(({ column, samples }) => [column, figure(samples)]))
  return packages.map((each) => ({
    name: each.name,
    version: each.version,
    way: each.way,
    nanoseconds: figuresOf(each, (samples) => Math.ceil(median(samples))),
    // How far apart the quarters of the rounds lie, as a share of the median.
    spread: figuresOf(each, (samples) => Number(spread(samples).toFixed(2))),
  }))
}

/**
 * @param {{ rounds?: number }} [options] Default 61 rounds, about a minute and a half with all that is before them.
 */
export const runFlagsBench = async ({ rounds = 61 } = {}) => {
  const folder = await installField()
  const own = await mkdtemp(join(tmpdir(), 'waymark-bench-flags-'))
  const endpoint = await startDefinitionsEndpoint(definitions())
  try {
    const evaluator = await bundleEvaluator(own)
    const bytesPerCall = JSON.parse(
      execFileSync(process.execPath, [...ROOMY, ALLOCATION, evaluator], { encoding: 'utf8' }),
    )
    const packages = await startPackages({ evaluator, folder, definitionsUrl: endpoint.url })
    try {
      const sameValues = await compareValues(packages)
      return { packages: await measureAll(packages, rounds), sameValues, bytesPerCall }
    } finally {
      for (const { stop } of packages) await stop?.()
    }
  } finally {
    await endpoint.stop()
    await rm(own, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2])
  console.log(JSON.stringify(await runFlagsBench(rounds ? { rounds } : {}), null, 2))
}
