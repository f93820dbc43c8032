import { setImmediate } from 'node:timers/promises'
import { compileSteps } from '../../../evaluate/compile.ts'
import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** Longest time for which compiling blocks the event loop, in milliseconds; a single large flag may exceed it. */
const CHUNK_MS = 8

/** Like `compile`, but yields to the event loop: the flags of a large project take much longer than serving a request. */
export const compileInChunks = async (definitions: FlagDefinitions): Promise<CompiledSet> => {
  const steps = compileSteps(definitions)
  let deadline = performance.now() + CHUNK_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < deadline) continue
    await setImmediate()
    deadline = performance.now() + CHUNK_MS
  }
}
