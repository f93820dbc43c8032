import { ourEvaluator } from './flags/ours.mjs'
import { KEYS, PERSONS } from './flags/workload.mjs'

/**
 * Prints the bytes that one call of our evaluator leaves on the heap, with the context made before and with a context made in each call.
 * A program of its own: it needs `--expose-gc`, and a young generation that holds what all calls make, so that nothing is collected
 * meanwhile (`--min-semi-space-size`, `--max-semi-space-size`).
 *
 * Usage: node … flags-allocation.mjs <path of the evaluator>
 */
const WARM_UP_CALLS = 3e5

/** Counted in parts that stay far below what the young generation holds. */
const PARTS = 10
const CALLS_PER_PART = 1e5

const bytesPerCall = (call) => {
  const repeat = (times) => {
    let value
    for (let n = 0; n < times; n++) value = call(PERSONS[n % PERSONS.length])
    return value
  }
  repeat(WARM_UP_CALLS)
  let bytes = 0
  for (let part = 0; part < PARTS; part++) {
    globalThis.gc()
    const before = process.memoryUsage().heapUsed
    repeat(CALLS_PER_PART)
    bytes += process.memoryUsage().heapUsed - before
  }
  return Math.round((bytes / (PARTS * CALLS_PER_PART)) * 10) / 10
}

const { calls, contextOf } = await ourEvaluator(process.argv[2])
const made = PERSONS.map(contextOf)
const byKind = ({ one }) => ({
  boolean: bytesPerCall(one(KEYS.boolean[7])),
  rollout: bytesPerCall(one(KEYS.rollout[7])),
  fiveFilters: bytesPerCall(one(KEYS.fiveFilters[7])),
})
console.log(
  JSON.stringify({ evaluation: byKind(calls(({ index }) => made[index])), withContext: byKind(calls(contextOf)) }),
)
