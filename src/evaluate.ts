import type { Waymark } from './agent/waymark.ts'
import { initBrowser, type BrowserOptions } from './browser.ts'
import { createLocalFlags } from './flags/create-local-flags.ts'
import { lazyGzip } from './lazy-gzip.ts'
import type { FlagDefinitions } from './wire/definition.ts'

export { compile, type CompiledSet } from './evaluate/compile.ts'
export type { CompiledFlag } from './evaluate/compiled-flag.ts'
export { evaluateFlag } from './evaluate/evaluate-flag.ts'
export { explain } from './evaluate/explain.ts'
export {
  evaluationContext,
  type Conclusive,
  type Evaluation,
  type EvaluationContext,
  type GivenContext,
  type Inconclusive,
} from './evaluate/evaluation.ts'
export type { FlagDefinition, FlagDefinitions } from './wire/definition.ts'
export type { Waymark } from './agent/waymark.ts'

/**
 * Options of an agent that evaluates flags on the page. Definitions tell everybody who reads the page whom each flag is for: leave out
 * flags whose conditions (mail addresses, names of customers) are nobody's business.
 */
export interface EvaluateOptions extends BrowserOptions {
  /** `definitions`: the body of `GET /flags/definitions`, rendered into the page by its server. Flags have their values at the first read. Default: none. */
  bootstrap?: NonNullable<BrowserOptions['bootstrap']> & { readonly definitions?: FlagDefinitions }
  /**
   * Where the site serves the same as a file; asked by GET without cookies, and may not redirect. Loaded when flags are loaded first, again
   * every `flagsIntervalMs`, when the page is seen again after that, and by `reloadFeatureFlags`. What cannot be loaded or read leaves the
   * definitions known before, with a warning. Default: none.
   */
  definitionsUrl?: string
}

/**
 * Starts the agent of a page as `init` of `waymark` does, but flags are evaluated here where definitions and the properties set on this
 * page suffice; the service is asked only for the others, by key. As long as it need not be asked, it also cannot tell its remote config.
 * Where an agent with this key runs already, that one is answered.
 *
 * @param apiKey The project API key.
 */
export function init(apiKey: string, options?: EvaluateOptions): Waymark {
  const local = createLocalFlags({
    definitions: options?.bootstrap?.definitions,
    definitionsUrl: options?.definitionsUrl,
  })
  return initBrowser(apiKey, options, { gzip: lazyGzip, local })
}
