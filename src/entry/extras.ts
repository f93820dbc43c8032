import { createExtras } from '../agent/extras/create-extras.ts'
import type { ExtendedWaymark, ExtraOptions } from '../agent/extras/extra-options.ts'
import type { Waymark } from '../agent/waymark.ts'
import { applyDefaults, parseHost } from '../agent/options.ts'
import { createWatchPage } from '../autocapture/watch-page.ts'
import { createFetchFlags } from '../flags/fetch-flags.ts'
import { createClock } from '../platform/web/clock.ts'
import { listen } from '../platform/browser/listen.ts'
import { createLogger } from '../platform/web/logger.ts'
import { resolveHost } from '../platform/browser/resolve-host.ts'
import { createSend } from '../platform/browser/send.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { isServiceResponse } from '../wire/is-service-response.ts'
import { createHostMark } from '../lib/host-mark.ts'
import { noop } from '../lib/noop.ts'
import { addEvaluationContexts } from './add-evaluation-contexts.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { getRunningAgents } from './running-agents.ts'

export type { ExtendedWaymark, ExtraOptions } from '../agent/extras/extra-options.ts'
export type { ConsentDecision, ExtraVerbs, Listeners } from '../agent/extras/extra-verbs.ts'
export type { MaskOptions } from '../agent/extras/mask.ts'

/**
 * Adds the rare verbs and options to an `init`, of `waymark` or of `waymark/evaluate`. Page views then have the title that the router sets
 * after a navigation.
 *
 * If an agent with the key runs already without extras, the verbs and options of the extras have no effect, and a warning says so.
 *
 * @example const waymark = withExtras(init)('wm_…', { host, maskProperties: ['email'] })
 */
export const withExtras =
  <Options extends BrowserOptions>(
    init: (apiKey: string, options?: Options) => Waymark,
  ): ((apiKey: string, options?: Options & ExtraOptions) => ExtendedWaymark) =>
  (apiKey, options) => {
    const running = getRunningAgents().get(apiKey)?.[0]
    if (running && 'getGroups' in running) return init(apiKey) as ExtendedWaymark
    // Its sentences need no chunk.
    const logger = createLogger(() => Promise.reject(new Error('no chunk')))
    if (running) logger.warn('withExtras() has no effect: the agent with this key runs already')
    const givenOptions = options ?? ({} as Options & ExtraOptions)
    const { evaluationContexts: contexts, host = globalThis.location?.origin } = givenOptions
    const fetch = contexts?.length ? addEvaluationContexts(givenOptions.fetch, contexts) : givenOptions.fetch
    const clock = createClock()
    const resolvedHost = resolveHost(parseHost(host) ?? '')
    const fetchFlags = createFetchFlags(
      (ms) => new Promise((resolve) => clock.after(ms, resolve)),
      createSend(clock, fetch, createHostMark(createMemoryKeyValue(), 'bare', resolvedHost), isServiceResponse),
      {
        ...applyDefaults(givenOptions, noop),
        apiKey,
        host: resolvedHost,
      },
    )
    const watchPage = createWatchPage(clock, listen, (error) => logger.warn('captureScreen failed:', error))
    const extras = createExtras<Options>(givenOptions, logger, fetchFlags, watchPage)
    if (fetch) extras.options.fetch = fetch
    return extras.attach(init(apiKey, running ? undefined : extras.options))
  }
