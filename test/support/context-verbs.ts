import { init } from '../../src/entry/node.ts'
import type { Waymark } from '../../src/entry/node.ts'

/** A Node agent for tests of request contexts; it sends no request because it captures nothing. */
export const contextVerbs = (): Waymark => init('key', { host: 'http://127.0.0.1:9' })
