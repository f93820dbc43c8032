import type { PostHog } from '../agent/compat/posthog.ts'
import type { CaptureWaymark } from '../agent/waymark.ts'

/** The global property through which a bundle and a script tag on one page share their agents. */
const REGISTRY: unique symbol = Symbol.for('waymark') as never

/** An agent with the options of its `init` as JSON, and the object of `waymark/compat` that found no other with its key. */
type RunningAgent = [agent: CaptureWaymark, options: string | undefined, posthog?: PostHog | false]

/** The running agents by project API key: a second `init` on a page returns the first one's agent. */
export const getRunningAgents = (): Map<string, RunningAgent> =>
  ((globalThis as { [REGISTRY]?: Map<string, RunningAgent> })[REGISTRY] ??= new Map<string, RunningAgent>())
