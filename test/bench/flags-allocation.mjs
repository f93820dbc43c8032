import { GCProfiler } from 'node:v8'
import { definitionsOfKinds, KIND_NAMES, SUBJECTS } from './flags/kinds.mjs'

/**
 * Prints the bytes that one call of our evaluator leaves on the heap, for a flag of each kind, with a prebuilt context and with a context
 * created in each call. It is a separate program because it needs `--expose-gc` and a young generation large enough to avoid garbage
 * collection (`--min-semi-space-size`, `--max-semi-space-size`). It fails if a collection happens, because that falsifies the count.
 *
 * Usage: node … flags-allocation.mjs <path of the evaluator>
 */
const WARM_UP_CALLS = 1e5

/** Counted in parts whose allocations are far smaller than the young generation. */
const PARTS = 6
const CALLS_PER_PART = 5e4

/** Minimum bytes that a call with one small object must show, to prove that the measurement works. */
const MIN_OBJECT_BYTES = 16

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
      throw new Error(
        `Garbage was collected during the measurement (${collections.join(', ')}); use a larger semi-space.`,
      )
  }
  return Math.round((bytes / (PARTS * CALLS_PER_PART)) * 10) / 10
}

const control = bytesPerCall((index) => [index])
if (control < MIN_OBJECT_BYTES)
  throw new Error(`A call that creates an array left only ${control} bytes; the measurement does not work.`)

const { compile, evaluateFlag, evaluationContext } = await import(process.argv[2])
const { flags } = compile(definitionsOfKinds())
const createContext = (index) => evaluationContext(SUBJECTS[index])

const byKind = (contextFor) =>
  Object.fromEntries(
    KIND_NAMES.map((kind) => {
      const flag = flags.get(kind)
      const { value, reason } = evaluateFlag(flag, contextFor(0))
      if (!value) throw new Error(`The flag "${kind}" is ${value} (${reason}); it must match to be measured.`)
      return [kind, bytesPerCall((index) => evaluateFlag(flag, contextFor(index)).value)]
    }),
  )

const contexts = SUBJECTS.map((_, index) => createContext(index))
console.log(JSON.stringify({ evaluation: byKind((index) => contexts[index]), withContext: byKind(createContext) }))
