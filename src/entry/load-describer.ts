import type { LoadDescriber } from '../platform/web/logger.ts'

/** Loads the sentences of debug mode and of mistakes, in a chunk of their own. */
export const loadDescriber: LoadDescriber = async () => import('../agent/debug/create-describer.ts')
