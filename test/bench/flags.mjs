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
import { median } from './statistics.mjs'

/**
 * Nanoseconds per flag evaluation of our evaluator beside what servers use today, in one process. Each round gives every package a slice of
 * time for every column, in turns, so that what else the machine does meets all of them; each figure is the median of the rounds.
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

/** Milliseconds of one slice, and how many of them warm a package up. */
const SLICE_MS = 15
const WARM_UP_SLICES = 10

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

const measureAll = async (packages, rounds) => {
  const runs = packages.flatMap((each) =>
    Object.entries(COLUMNS).map(([column, callOf]) => ({ each, column, call: callOf(each), samples: [] })),
  )
  const measure = ({ each, column, call }, milliseconds) =>
    slice(call, each.isAsync, each.isAsync ? 1 : CALLS_PER_LOOK[column], milliseconds)
  for (const run of runs) await measure(run, SLICE_MS * WARM_UP_SLICES)
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another one: none always follows the same.
    const from = (round * 5) % runs.length
    for (const run of [...runs.slice(from), ...runs.slice(0, from)]) run.samples.push(await measure(run, SLICE_MS))
  }
  return packages.map((each) => ({
    name: each.name,
    version: each.version,
    way: each.way,
    nanoseconds: Object.fromEntries(
      runs.filter((run) => run.each === each).map(({ column, samples }) => [column, Math.round(median(samples))]),
    ),
  }))
}

/**
 * @param {{ rounds?: number }} [options] Default 61 rounds, about half a minute.
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
