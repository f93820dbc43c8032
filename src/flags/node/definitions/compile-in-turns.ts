import { compileSteps } from '../../../evaluate/compile.ts'
import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { Clock } from '../../../port/clock.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** How long requests that the process serves may wait for a part of the work, in milliseconds; one flag can take longer. */
const TURN_MS = 8

/** As `compile`, but the process does other work in between: a thousand flags with regular expressions take most of a second. */
export const compileInTurns = async (definitions: FlagDefinitions, clock: Clock): Promise<CompiledSet> => {
  const steps = compileSteps(definitions)
  for (;;) {
    const until = clock.now() + TURN_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (clock.now() < until)
    await new Promise<void>((resolve) => clock.defer(resolve))
  }
}
