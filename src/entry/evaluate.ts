import type { Waymark } from '../agent/waymark.ts'
import { initBrowser } from './init-browser.ts'
import type { BrowserOptions } from './init-browser.ts'
import { createLocalFlags } from '../flags/create-local-flags.ts'
import { lazyGzip } from './lazy-gzip.ts'
import type { FlagDefinitions } from '../wire/definition.ts'

export { compile, type CompiledSet } from '../evaluate/compile.ts'
export type { CompiledFlag } from '../evaluate/compiled-flag.ts'
export { evaluateFlag } from '../evaluate/evaluate-flag.ts'
export { explain } from '../evaluate/explain.ts'
export {
  evaluationContext,
  type Conclusive,
  type Evaluation,
  type EvaluationContext,
  type GivenContext,
  type Inconclusive,
} from '../evaluate/evaluation.ts'
export type { FlagDefinition, FlagDefinitions } from '../wire/definition.ts'
export type { Waymark } from '../agent/waymark.ts'

/**
 * Options of an agent that evaluates flags on the page. Definitions tell everybody who reads the page whom each flag is for: leave out
 * flags whose conditions (mail addresses, names of customers) are nobody's business.
 */
export interface EvaluateOptions extends BrowserOptions {
  /**
   * `definitions`: the body of `GET /flags/definitions?send_cohorts`, rendered into the page by its server (without `send_cohorts` each flag
   * on a cohort is asked of the service). Flags have their values at the first read, which compiles them: some 0.1 ms each. Default: none.
   */
  bootstrap?: NonNullable<BrowserOptions['bootstrap']> & { readonly definitions?: FlagDefinitions }
  /**
   * Where the site serves the same as a file; asked by GET without cookies, and may not redirect. Loaded when flags are loaded first, again
   * every `flagsIntervalMs`, when the page is seen again after that, and by `reloadFeatureFlags`; the browser's HTTP cache may answer.
   * Where there are no definitions yet, the service is asked for all flags only when they do not come within a second. What cannot be loaded
   * or read leaves the definitions known before, with a warning, and is tried again at the next of these occasions. Default: none.
   */
  definitionsUrl?: string
  /**
   * False: the definitions are all flags that this page uses. The service is not asked for any other: one that was left out keeps the value
   * that is bootstrapped, or was told earlier, and has none otherwise. True: there are flags that they do not name, and the service is asked
   * for those with each load. Default: false.
   */
  partialDefinitions?: boolean
}

/**
 * Starts the agent of a page as `init` of `waymark` does, but flags are evaluated here where definitions and the properties set for them,
 * on this page or an earlier one, suffice; the service is asked only for the others, by key. As long as it need not be asked, it also
 * cannot tell its remote config. Relative dates in conditions count from the last load of flags. Where an agent with this key runs already
 * (a script tag's too), that one is answered, and these options are not looked at: then nothing is evaluated here.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options?: EvaluateOptions): Waymark => {
  const local = createLocalFlags({
    definitions: options?.bootstrap?.definitions,
    definitionsUrl: options?.definitionsUrl,
    partialDefinitions: options?.partialDefinitions,
  })
  return initBrowser(apiKey, options, { gzip: lazyGzip, local })
}
