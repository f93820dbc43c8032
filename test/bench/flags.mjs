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
 * Measures nanoseconds per flag evaluation of our evaluator and of other packages in one process. Each round measures every package in
 * every column for a short time, so that other load affects all of them. The order differs in each round, so that garbage of one package
 * does not always affect the same other. Each figure is the median of the rounds.
 */

/** Column to the function of a package that is measured. */
const COLUMNS = {
  boolean: ({ evaluateOne }) => evaluateOne(KEYS.boolean[7]),
  rollout: ({ evaluateOne }) => evaluateOne(KEYS.rollout[7]),
  fiveFilters: ({ evaluateOne }) => evaluateOne(KEYS.fiveFilters[7]),
  allFlags: ({ evaluateAll }) => evaluateAll,
}

const ALLOCATION = fileURLToPath(new URL('flags-allocation.mjs', import.meta.url))
const LARGE_HEAP_ARGS = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

/** Duration of one sample and of the warm-up, in milliseconds. Asynchronous calls take much longer, so they get more time. */
const TIMES = { sync: { sample: 15, warmUp: 200 }, async: { sample: 50, warmUp: 1000 } }

/** Seed for the order in the rounds, so that each run of this program has the same order. */
const SEED = 20_260_801

/** Number of calls per reading of the clock. */
const CALLS_PER_CLOCK_READING = { boolean: 200, rollout: 100, fiveFilters: 100, allFlags: 2 }

/** Number of persons for whom all values are compared. */
const COMPARED_PERSONS = 100

const measureSample = async (call, isAsync, calls, milliseconds) => {
  const start = performance.now()
  let [done, elapsed, person] = [0, 0, 0]
  while (elapsed < milliseconds) {
    for (let n = 0; n < calls; n++) {
      const subject = PERSONS[person]
      person = person + 1 === PERSONS.length ? 0 : person + 1
      if (isAsync) await call(subject)
      else call(subject)
    }
    done += calls
    elapsed = performance.now() - start
  }
  return (elapsed * 1e6) / done
}

/** Checks that packages with the same bucketing return the same values, as otherwise their speed could not be compared. */
const compareValues = async (packages) => {
  const [first, ...others] = packages.filter(({ sharesBuckets }) => sharesBuckets)
  let compared = 0
  for (const key of Object.values(KEYS).flat()) {
    const expected = first.evaluateOne(key)
    for (const { name, version, evaluateOne } of others) {
      const call = evaluateOne(key)
      for (const person of PERSONS.slice(0, COMPARED_PERSONS)) {
        const [ours, theirs] = [await expected(person), await call(person)]
        if (ours !== theirs)
          throw new Error(
            `${key} of ${person.distinctId} is ${ours}, but ${theirs} for ${name} ${version}; the values must be equal.`,
          )
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
    measureSample(call, each.isAsync, each.isAsync ? 1 : CALLS_PER_CLOCK_READING[column], milliseconds)
  const timesOf = ({ each }) => (each.isAsync ? TIMES.async : TIMES.sync)
  const random = seededRandom(SEED)
  for (const run of shuffled(runs, random)) await measure(run, timesOf(run).warmUp)
  for (let round = 0; round < rounds; round++)
    for (const run of shuffled(runs, random)) run.samples.push(await measure(run, timesOf(run).sample))
  const figuresOf = (each, figure) =>
    Object.fromEntries(runs.filter((run) => run.each === each).map(({ column, samples }) => [column, figure(samples)]))
  return packages.map((each) => ({
    name: each.name,
    version: each.version,
    way: each.way,
    nanoseconds: figuresOf(each, (samples) => Math.ceil(median(samples))),
    // Interquartile range as a share of the median.
    spread: figuresOf(each, (samples) => Number(spread(samples).toFixed(2))),
  }))
}

/**
 * @param {{ rounds?: number }} [options] Default 61 rounds, about a minute and a half including preparation.
 */
export const runFlagsBench = async ({ rounds = 61 } = {}) => {
  const folder = await installField()
  const ownFolder = await mkdtemp(join(tmpdir(), 'waymark-bench-flags-'))
  const endpoint = await startDefinitionsEndpoint(definitions())
  try {
    const evaluator = await bundleEvaluator(ownFolder)
    const bytesPerCall = JSON.parse(
      execFileSync(process.execPath, [...LARGE_HEAP_ARGS, ALLOCATION, evaluator], { encoding: 'utf8' }),
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
    await rm(ownFolder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2])
  console.log(JSON.stringify(await runFlagsBench(rounds ? { rounds } : {}), null, 2))
}
