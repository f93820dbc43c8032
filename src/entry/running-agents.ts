import type { CaptureWaymark } from '../agent/waymark.ts'

/** The global property through which a bundle and a script tag on one page share their agents. */
const REGISTRY: unique symbol = Symbol.for('waymark') as never

/** An agent with the options of its `init`, as JSON. */
type RunningAgent = readonly [agent: CaptureWaymark, options: string | undefined]

/** The running agents by project API key: a second `init` on a page returns the first one's agent. */
export const getRunningAgents = (): Map<string, RunningAgent> =>
  ((globalThis as { [REGISTRY]?: Map<string, RunningAgent> })[REGISTRY] ??= new Map<string, RunningAgent>())
