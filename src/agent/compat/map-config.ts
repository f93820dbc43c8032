import type { BeforeSend } from '../../capture/before-send.ts'
import type { Options } from '../options.ts'
import type { BootstrapConfig, PostHog, PostHogConfig } from './posthog.ts'
import { createHooks } from './create-hooks.ts'

/** What the options of posthog-js ask for. */
export interface MappedConfig {
  /** Options of our agent, without page views and hooks. */
  readonly options: Options
  readonly hooks: readonly BeforeSend[]
  /** Whether the page view of the load is captured. */
  readonly hasPageview: boolean
  /** Whether page views of navigations are captured too. */
  readonly hasNavigations: boolean
  readonly hasPageleave: boolean
  readonly hasFlags: boolean
  readonly loaded: ((posthog: PostHog) => void) | null | undefined
  /** The key in localStorage, and the name of the cookie, under which posthog-js stores a visitor. */
  readonly visitorName: string
  /** The same for the visitor's decision about consent. */
  readonly consentName: string
  /** Whether an opt-out also forgets who the visitor was. */
  readonly clear: boolean
  /** Names of options that ask for what the agent does not have. */
  readonly lacking: readonly string[]
}

/** Options that switch off what this agent does not have, or matter only for that, so that ignoring them changes nothing. */
const WITHOUT_SUBJECT =
  /^(disable_(?!cap)|advanced_(?!en)|mask_all|(ui|asset)_host|secure_cookie|opt_out_\w*persistence)/

/** From this date of the option `defaults` on, posthog-js captures page views of navigations by default. */
const NAVIGATIONS_SINCE = '2025-05-24'

/** Translates what a server knows of its visitor. The agent takes null for missing. */
export const mapBootstrap = (bootstrap: BootstrapConfig | null | undefined): Options['bootstrap'] =>
  ({
    ...bootstrap,
    distinctId: bootstrap?.distinctID,
    isIdentifiedId: bootstrap?.isIdentifiedID,
  }) as Options['bootstrap']

/** Translates the options of posthog-js. */
export const mapConfig = (
  apiKey: string,
  {
    api_host,
    autocapture = true,
    defaults = '',
    capture_pageview = defaults >= NAVIGATIONS_SINCE ? 'history_change' : true,
    capture_pageleave = 'if_capture_pageview',
    persistence,
    disable_cookie,
    disable_persistence = disable_cookie,
    cookie_name,
    persistence_name = cookie_name,
    consent_persistence_name,
    opt_out_capturing_cookie_prefix,
    cross_subdomain_cookie = true,
    person_profiles,
    opt_out_capturing_by_default,
    opt_out_persistence_by_default,
    opt_out_useragent_filter,
    respect_dnt,
    cookieless_mode,
    before_send,
    sanitize_properties,
    property_blacklist,
    property_denylist,
    bootstrap,
    advanced_disable_flags,
    advanced_disable_decide,
    advanced_disable_feature_flags,
    advanced_disable_feature_flags_on_first_load,
    request_batching,
    request_queue_config,
    session_idle_timeout_seconds,
    disable_compression,
    debug,
    loaded,
    ...others
  }: PostHogConfig,
): MappedConfig => ({
  options: {
    host: api_host,
    // The agent treats `cookie` like the default. Like posthog-js, any case is accepted.
    persistence:
      disable_persistence || cookieless_mode === 'always'
        ? 'memory'
        : (persistence?.toLowerCase().replace('storage', 'Storage') as Options['persistence']),
    crossSubdomainCookie: cross_subdomain_cookie,
    personProfiles: person_profiles,
    capturePageview: false,
    captureBots: !!opt_out_useragent_filter,
    respectDnt: respect_dnt,
    defaultOptIn: !opt_out_capturing_by_default && cookieless_mode !== 'on_reject',
    preloadFeatureFlags: !advanced_disable_feature_flags_on_first_load,
    flushAt: request_batching === false ? 1 : undefined,
    flushInterval: request_queue_config?.flush_interval_ms,
    sessionIdleTimeoutSeconds: session_idle_timeout_seconds,
    disableCompression: disable_compression,
    bootstrap: mapBootstrap(bootstrap),
    debug,
  },
  hooks: createHooks([property_blacklist ?? [], property_denylist ?? []].flat(), sanitize_properties, before_send),
  hasPageview: !!capture_pageview,
  hasNavigations: capture_pageview !== true,
  hasPageleave: capture_pageleave === true || !!(capture_pageleave && capture_pageview),
  hasFlags: !advanced_disable_flags && !advanced_disable_decide && !advanced_disable_feature_flags,
  loaded,
  visitorName: `ph_${persistence_name || `${apiKey}_posthog`}`,
  consentName: consent_persistence_name || (opt_out_capturing_cookie_prefix || '__ph_opt_in_out_') + apiKey,
  clear: !!opt_out_persistence_by_default || cookieless_mode === 'on_reject',
  lacking: Object.entries({ autocapture, ...others })
    // Options of the first kind are on by default, and the agent always does what they say.
    .filter(([name, value]) => (name.startsWith('save_') ? value === false : value && !WITHOUT_SUBJECT.test(name)))
    .map(([name]) => name),
})
