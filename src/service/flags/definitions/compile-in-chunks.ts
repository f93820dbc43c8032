import { setImmediate } from 'node:timers/promises'
import { compileSteps } from '../../../evaluate/compile.ts'
import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** How long requests may wait for a part of the work, in milliseconds; one flag can take longer. */
const SLICE_MS = 8

/** As `compile`, but requests are served in between: the flags of a large project take many times a request's time. */
export const compileInSlices = async (definitions: FlagDefinitions): Promise<CompiledSet> => {
  const steps = compileSteps(definitions)
  let until = performance.now() + SLICE_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE_MS
  }
}
