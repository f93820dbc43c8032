import { OPTION_NAMES } from '../agent/option-names.ts'
import type { Parts, VerbsOf } from '../agent/parts.ts'
import type { StartTracing } from '../autocapture/start-tracing.ts'
import { lz64Form } from '../codec/lz64.ts'
import { addMissingVerbs } from './add-missing-verbs.ts'
import { createDelivery } from './delivery-module.ts'
import { initBrowser } from './init-browser.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { loadDescriber } from './load-describer.ts'

export { flags, surveys } from '../agent/parts.ts'
export type { FlagsPart, Parts, SurveysPart, VerbsOf } from '../agent/parts.ts'
export type { CaptureWaymark } from '../agent/waymark.ts'
export { startTracing as tracing } from '../autocapture/start-tracing.ts'
export type { BrowserOptions } from './browser-entry.ts'

/** What a page adds to an agent that only captures. */
export interface CaptureParts extends Parts {
  /** Without it, the option `tracingHeaders` has no effect. */
  readonly tracing?: StartTracing
}

/**
 * Starts the agent of a page like `init` of `waymark`, but with only the parts that are passed in: `flags`, `surveys` and `tracing`, which
 * this module exports. A bundler leaves out the code of all others. Without `flags` there is no request but those with events.
 *
 * @param apiKey The project API key.
 * @param parts Default: none. The agent has no verbs of flags and surveys then.
 * @example const waymark = init('wm_…', { host }, { surveys })
 */
export const init = <P extends CaptureParts = CaptureParts>(
  apiKey: string,
  options?: BrowserOptions,
  parts: P = {} as P,
): VerbsOf<P> =>
  addMissingVerbs(
    initBrowser(apiKey, options, {
      ...parts,
      loadDelivery: () => createDelivery,
      lz64: lz64Form,
      optionNames: OPTION_NAMES,
      loadDescriber,
    }),
    parts,
  )
