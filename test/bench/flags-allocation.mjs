import { GCProfiler } from 'node:v8'
import { definitionsOfKinds, KIND_NAMES, SUBJECTS } from './flags/kinds.mjs'

/**
 * Prints, for a flag of each kind, the bytes that one call of our evaluator leaves on the heap, with the context made before and with a
 * context made in each call. A program of its own: it needs `--expose-gc`, and a young generation that holds what all calls make, so that
 * nothing is collected meanwhile (`--min-semi-space-size`, `--max-semi-space-size`). It fails when something was, for a collection takes
 * away what is counted.
 *
 * Usage: node … flags-allocation.mjs <path of the evaluator>
 */
const WARM_UP_CALLS = 1e5

/** Counted in parts that stay far below what the young generation holds. */
const PARTS = 6
const CALLS_PER_PART = 5e4

/** What a call leaves that makes one small object: the least that must be seen for the other figures to mean anything. */
const LEAST_OBJECT_BYTES = 16

const bytesPerCall = (call) => {
  const repeat = (times) => {
    let value
    for (let n = 0; n < times; n++) value = call(n % SUBJECTS.length)
    return value
  }
  repeat(WARM_UP_CALLS)
  let bytes = 0
  for (let part = 0; part < PARTS; part++) {
    globalThis.gc()
    const profiler = new GCProfiler()
    profiler.start()
    const before = process.memoryUsage().heapUsed
    repeat(CALLS_PER_PART)
    bytes += process.memoryUsage().heapUsed - before
    const collections = profiler.stop().statistics.map(({ gcType }) => gcType)
    if (collections.length > 0)
      throw new Error(`The heap was collected while it was measured: ${collections.join(', ')}.`)
  }
  return Math.round((bytes / (PARTS * CALLS_PER_PART)) * 10) / 10
}

const control = bytesPerCall((index) => [index])
if (control < LEAST_OBJECT_BYTES) throw new Error(`A call that makes an array was seen to leave ${control} bytes.`)

const { compile, evaluateFlag, evaluationContext } = await import(process.argv[2])
const { flags } = compile(definitionsOfKinds())
const contextOf = (index) => evaluationContext(SUBJECTS[index])

const byKind = (contextFor) =>
  Object.fromEntries(
    KIND_NAMES.map((kind) => {
      const flag = flags.get(kind)
      const { value, reason } = evaluateFlag(flag, contextFor(0))
      if (!value) throw new Error(`The flag "${kind}" is ${value} (${reason}): what it is to measure is not passed.`)
      return [kind, bytesPerCall((index) => evaluateFlag(flag, contextFor(index)).value)]
    }),
  )

const made = SUBJECTS.map((_, index) => contextOf(index))
console.log(JSON.stringify({ evaluation: byKind((index) => made[index]), withContext: byKind(contextOf) }))
