import type { Options } from '../options.ts'
import type { BootstrapConfig, PostHogConfig } from './posthog.ts'
import { createHooks } from './create-hooks.ts'

/** Options of an agent in a browser. */
export type MappedOptions = Options & { tracingHeaders?: readonly string[] }

/** Options whose name is ours in another spelling. */
const RESPELLED =
  'cross_subdomain_cookie person_profiles respect_dnt session_idle_timeout_seconds disable_compression tracing_headers debug'.split(
    ' ',
  )

/** Options that are mapped one by one. */
const MAPPED =
  'api_host capture_pageview capture_pageleave persistence persistence_name consent_persistence_name opt_out_capturing_cookie_prefix opt_out_capturing_by_default opt_out_useragent_filter before_send sanitize_properties property_denylist bootstrap request_batching request_queue_config loaded'.split(
    ' ',
  )

/** Options that switch off or adjust what this agent does not have, so that ignoring them changes nothing. */
const WITHOUT_SUBJECT =
  /^(disable_(?!capture)|advanced_(?!enable)|mask_all_|(ui|asset)_host$|defaults$|name$|token$|secure_cookie$|api_transport$|opt_out_(capturing_)?persistence|split_storage$|strict_script)/

/** Whether the page asks for something that the agent does not have. */
const isLacking = ([name, value]: readonly [string, unknown]): boolean =>
  !RESPELLED.includes(name) &&
  !MAPPED.includes(name) &&
  !WITHOUT_SUBJECT.test(name) &&
  // Options of this kind are on by default, and the agent always does what they say.
  (/^save_/.test(name) ? value === false : !!value)

/** Translates what a server knows of its visitor. The agent takes null for missing. */
export const mapBootstrap = (bootstrap: BootstrapConfig | null | undefined): Options['bootstrap'] =>
  bootstrap
    ? ({
        ...bootstrap,
        distinctId: bootstrap.distinctID,
        isIdentifiedId: bootstrap.isIdentifiedID,
      } as Options['bootstrap'])
    : undefined

/**
 * Translates the options of posthog-js. Page views are not among the result: `createPosthog` captures them.
 *
 * @returns The agent's options, and the names of those without an equal.
 */
export const mapConfig = (config: PostHogConfig): { readonly options: MappedOptions; readonly lacking: string[] } => {
  const isCookieless = config.cookieless_mode === 'always'
  const options: MappedOptions & Record<string, unknown> = {
    host: config.api_host,
    // The agent treats `cookie` like the default.
    persistence: config.disable_persistence || isCookieless ? 'memory' : (config.persistence as Options['persistence']),
    crossSubdomainCookie: true,
    capturePageview: false,
    captureBots: !!config.opt_out_useragent_filter,
    defaultOptIn: !config.opt_out_capturing_by_default && config.cookieless_mode !== 'on_reject',
    preloadFeatureFlags: !config.advanced_disable_feature_flags_on_first_load,
    flushAt: config.request_batching === false ? 1 : undefined,
    flushInterval: config.request_queue_config?.flush_interval_ms,
    bootstrap: mapBootstrap(config.bootstrap),
    before_send: createHooks(config),
  }
  for (const name of RESPELLED) {
    const value = config[name]
    if (value !== undefined) options[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  // In posthog-js it is on by default.
  const lacking = Object.entries({ autocapture: true, ...config })
    .filter(isLacking)
    .map(([name]) => name)
  return { options, lacking }
}
