import { createExtras } from '../../src/agent/extras/create-extras.ts'
import type { ExtendedWaymark, ExtraOptions } from '../../src/agent/extras/extra-options.ts'
import type { Options } from '../../src/agent/options.ts'
import type { AgentHarness, AgentPage } from './agent-harness.ts'

/** A page whose agent has extras. */
export type ExtendedPage = AgentPage & {
  readonly agent: ExtendedWaymark
  /** Warnings of the extras, not of the agent. */
  readonly extraWarnings: unknown[][]
}

/** Opens a page with an agent that has extras, and starts it. */
export const openExtended = (harness: AgentHarness, options: Options & ExtraOptions = {}): ExtendedPage => {
  const extraWarnings: unknown[][] = []
  const extras = createExtras<Options>(options, { warn: (...message) => extraWarnings.push(message), debug: () => {} })
  const page = harness.open(extras.options, { isStarted: false })
  const agent = extras.attach(page.agent)
  page.start()
  return Object.assign(page, { agent, extraWarnings })
}
