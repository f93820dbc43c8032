import { compileSteps } from '../../../evaluate/compile.ts'
import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { Clock } from '../../../port/clock.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** Maximum time without yielding to the event loop. A single flag may take longer. */
const CHUNK_MS = 8

/** Compiles like `compile`, but yields to the event loop: a thousand flags with regular expressions take most of a second. */
export const compileInChunks = async (definitions: FlagDefinitions, clock: Clock): Promise<CompiledSet> => {
  const steps = compileSteps(definitions)
  for (;;) {
    const deadline = clock.now() + CHUNK_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (clock.now() < deadline)
    await new Promise<void>((resolve) => clock.defer(resolve))
  }
}
