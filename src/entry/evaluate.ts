import { EVALUATE_OPTION_NAMES, OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import type { Waymark } from '../agent/waymark.ts'
import { startTracing } from '../autocapture/start-tracing.ts'
import { lz64Form } from '../codec/lz64.ts'
import { createDelivery } from './delivery-module.ts'
import { initBrowser } from './init-browser.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { createLocalFlags } from '../flags/create-local-flags.ts'
import { loadDescriber } from './load-describer.ts'
import type { FlagDefinitions } from '../wire/definition.ts'

export * from './evaluation-engine.ts'
export type { Waymark } from '../agent/waymark.ts'

/**
 * Options of an agent that evaluates flags on the page. Visitors can read the definitions: leave out flags whose conditions are
 * confidential, such as email addresses or names of customers.
 */
export interface EvaluateOptions extends BrowserOptions {
  /**
   * `definitions`: the body of `GET /flags/definitions?send_cohorts`, rendered into the page by its server. Without `send_cohorts`, flags
   * with a cohort are requested from the service. The first read of a flag compiles it in about 0.1 ms and returns its value. Default:
   * none.
   */
  bootstrap?: NonNullable<BrowserOptions['bootstrap']> & { readonly definitions?: FlagDefinitions }
  /**
   * URL of the same definitions as a file of the site, requested by GET without cookies; it must not redirect. Default: none.
   *
   * The file is loaded with the first load of flags, every `flagsIntervalMs`, when the page becomes visible after that time, and by
   * `reloadFeatureFlags`. The response may come from the browser's HTTP cache. If there are no definitions yet and the file takes longer than a
   * second, all flags are requested from the service. If the load fails, the agent warns, keeps its definitions and retries at the next load.
   */
  definitionsUrl?: string
  /**
   * False: the definitions contain all flags that this page uses. A flag without a definition keeps its bootstrapped or stored value, or has
   * none. True: the project has more flags, and each load requests them from the service. Default: false.
   */
  partialDefinitions?: boolean
}

/**
 * Starts the agent of a page like `init` of `waymark`, and evaluates flags on the page.
 *
 * A flag is evaluated here if its definition and the properties set for flags, on this page or an earlier one, suffice. Only the other
 * flags are requested from the service, by key. Without such a request there is no remote config either. Relative dates in conditions count
 * from the last load of flags.
 *
 * If an agent with this key is already running (also one of a script tag), it is returned and these options are ignored: nothing is
 * evaluated here.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options?: EvaluateOptions): Waymark => {
  const local = createLocalFlags({
    definitions: options?.bootstrap?.definitions,
    definitionsUrl: options?.definitionsUrl,
    partialDefinitions: options?.partialDefinitions,
  })
  return initBrowser(apiKey, options, {
    flags,
    local,
    surveys,
    tracing: startTracing,
    loadDelivery: () => createDelivery,
    lz64: lz64Form,
    optionNames: [...OPTION_NAMES, ...EVALUATE_OPTION_NAMES],
    loadDescriber,
  })
}
