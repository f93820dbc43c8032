import type { Options } from '../options.ts'

/** Options that only entries know: `tracingHeaders` and `fetch` of all pages, the others of `waymark/evaluate`. */
type EntryOption = 'fetch' | 'tracingHeaders' | 'definitionsUrl' | 'partialDefinitions'

/** A record, so that the compiler finds a missing option. */
const OPTIONS: Readonly<Record<keyof Options | EntryOption, 0>> = {
  host: 0,
  before_send: 0,
  onDrop: 0,
  onSend: 0,
  debug: 0,
  flagsApi: 0,
  flushAt: 0,
  flushInterval: 0,
  fetchRetryCount: 0,
  fetchRetryDelay: 0,
  requestTimeout: 0,
  featureFlagsRequestMaxRetries: 0,
  maxBatchSize: 0,
  maxQueueSize: 0,
  sessionIdleTimeoutSeconds: 0,
  flagsIntervalMs: 0,
  disableCompression: 0,
  historicalMigration: 0,
  disableGeoip: 0,
  persistence: 0,
  crossSubdomainCookie: 0,
  personProfiles: 0,
  capturePageview: 0,
  captureBots: 0,
  defaultOptIn: 0,
  respectDnt: 0,
  disabled: 0,
  preloadFeatureFlags: 0,
  bootstrap: 0,
  extension: 0,
  fetch: 0,
  tracingHeaders: 0,
  definitionsUrl: 0,
  partialDefinitions: 0,
}

/** Names of all options of a page. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)
