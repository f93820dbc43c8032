import { init } from '../../src/entry/node.ts'
import type { Waymark } from '../../src/entry/node.ts'

/** An agent of which only the contexts are of interest: it captures nothing, so that it never asks anybody. */
export const contextVerbs = (): Waymark => init('key', { host: 'http://127.0.0.1:9' })
