import type { CompatAgent } from '../agent/compat/compat-verbs.ts'
import { createPosthog } from '../agent/compat/create-posthog.ts'
import type { MappedConfig } from '../agent/compat/map-config.ts'
import type { PostHog } from '../agent/compat/posthog.ts'
import { parseConsent, readVisitor } from '../agent/compat/read-visitor.ts'
import { flags } from '../agent/parts.ts'
import { FLAG_VERBS } from '../agent/verb-table.ts'
import { isPageShown, watchPageviews } from '../autocapture/pageview.ts'
import { parseState, STATE_STORAGE_KEY } from '../capture/state.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { createCookieKeyValue } from '../platform/browser/cookie.ts'
import { listen } from '../platform/browser/listen.ts'
import { createLogger } from '../platform/web/logger.ts'
import { randomBytes } from '../platform/web/random.ts'
import { createWebStorage } from '../platform/browser/web-storage.ts'
import { noop } from '../lib/noop.ts'
import { readString } from '../lib/read-string.ts'
import { stringify } from '../lib/stringify.ts'
import { createDelivery } from './delivery-module.ts'
import { initBrowser } from './init-browser.ts'
import { STORAGE_PREFIX } from './open-browser-platform.ts'
import { loadDescriber } from './load-describer.ts'
import { openBrowserStorage } from './open-browser-storage.ts'
import { getRunningAgents } from './running-agents.ts'

export type {
  BeforeSendFn,
  BootstrapConfig,
  CaptureResult,
  CompatCaptureOptions as CaptureOptions,
  FeatureFlagResult,
  FlagOptions,
  JsonType,
  PostHog,
  PostHogConfig,
  Properties,
  Property,
} from '../agent/compat/posthog.ts'

/**
 * Stores the visitor of posthog-js for our agent, which reads it at its start. When the agent has stored one itself, only a later decision
 * about consent is taken over. What posthog-js has stored stays.
 */
const takeOverVisitor = (apiKey: string, { options, visitorName, consentName }: MappedConfig): void => {
  const ownStorage = openBrowserStorage(`${STORAGE_PREFIX}${apiKey}_`, options, noop)
  const local = createWebStorage('localStorage')
  const cookie = createCookieKeyValue(false)
  // While it keeps decisions in localStorage, posthog-js removes this cookie.
  const consent = parseConsent(cookie.get(consentName) ?? local.get(consentName))
  // With `memory` our agent stores no decision: this one is read by each page.
  if (consent !== undefined) options.defaultOptIn = consent

  const own = parseState(ownStorage.get(STATE_STORAGE_KEY))
  const isOptedOut = consent === undefined ? (options.defaultOptIn ? 0 : 1) : !consent
  const stores = options.persistence === 'sessionStorage' ? [createWebStorage('sessionStorage')] : [cookie, local]
  const state = own
    ? // An opt-out wins: it may be the later decision, made on another host of the site.
      consent !== undefined &&
      own.isOptedOut !== true &&
      own.isOptedOut !== isOptedOut && { ...own, isOptedOut, revision: own.revision + 1 }
    : readVisitor(
        stores.map((store) => store.get(visitorName)),
        isOptedOut,
        createUuidV7(randomBytes)(Date.now()),
      )
  if (state) ownStorage.set(STATE_STORAGE_KEY, stringify(state))
}

/**
 * The object that posthog-js exports, over the agent of `waymark`: a page that imports it from here instead needs no other change, and its
 * visitors stay the same. Calls and options without an equal do nothing but warn, once.
 */
export const posthog: PostHog = createPosthog({
  // On a server, the same code would warn of each page that it renders.
  logger: globalThis.document ? createLogger(loadDescriber) : { warn: noop, debug: noop },
  getTitle: () => globalThis.document && readString(document, 'title'),
  startAgent(apiKey, config, posthog) {
    // One agent of a server would count all visitors as one person.
    config.options.disabled = !globalThis.document
    // Without the compressor of beacons, which is large: they are plain JSON.
    const entry = {
      loadDelivery: () => createDelivery,
      loadDescriber,
      flags: config.hasFlags ? flags : undefined,
    }
    const agent = initBrowser(apiKey, config.options, entry)
    // Pages read flags that they have switched off.
    const verbs = agent as unknown as Record<string, unknown>
    for (const verb of Object.keys(FLAG_VERBS)) verbs[verb] ??= noop
    // The agent starts in a later task. One that does nothing, as for bots, must not store anything.
    const running = getRunningAgents().get(apiKey)
    if (running) {
      running[2] ||= posthog
      takeOverVisitor(apiKey, config)
    }
    return agent as CompatAgent
  },
  findShared(apiKey) {
    for (const [key, [, , posthog]] of getRunningAgents()) if (posthog && key === (apiKey ?? key)) return posthog
    return undefined
  },
  watchPageviews: (capture, hasNavigations, cleanups) =>
    watchPageviews((view) => (hasNavigations || isPageShown(view)) && capture(view), listen, cleanups)(),
  onLeave: (listener) => listen(globalThis, 'pagehide', listener),
  saveConsent({ consentName, options }, isOptedIn) {
    if (options.disabled) return
    const decision = isOptedIn ? '1' : '0'
    createWebStorage('localStorage').set(consentName, decision)
    // Where it exists, posthog-js may prefer it.
    const cookie = createCookieKeyValue(!!options.crossSubdomainCookie)
    if (cookie.get(consentName)) cookie.set(consentName, decision)
  },
})

/** @alias The import that the documentation of posthog-js shows. */
export default posthog
