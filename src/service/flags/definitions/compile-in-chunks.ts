import { compileSteps } from '../../../evaluate/compile.ts'
import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'
import { workInChunks } from '../../work-in-chunks.ts'

/** Like `compile`, but yields to the event loop: the flags of a large project take much longer than serving a request. */
export const compileInChunks = (definitions: FlagDefinitions): Promise<CompiledSet> =>
  workInChunks(compileSteps(definitions))
