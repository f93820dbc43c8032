import type { FlagValue } from '../wire/decide.ts'

/** Generation of the flag endpoint: `/decide?v=3` or `/flags/?v=2`. */
export type FlagsApi = 'decide' | 'flags'

/** The agent's options for flags, and where the service is. */
export interface FlagsOptions {
  /** Origin of the service, without a trailing slash. */
  readonly host: string
  /** The project API key. */
  readonly apiKey: string
  /** Default `decide`. When the endpoint is missing (404, 405, 410), the other one is used and remembered. */
  readonly flagsApi?: FlagsApi | undefined
  /** Whether flags are loaded at start; default true. */
  readonly preloadFeatureFlags?: boolean | undefined
  /** Milliseconds between loads; 0 disables automatic reloads. */
  readonly flagsIntervalMs: number
  /** Timeout of one request in milliseconds. */
  readonly requestTimeout: number
  /** Maximum retries of a request without a response, or with 502 or 504; after 300 ms, then doubling. */
  readonly featureFlagsRequestMaxRetries: number
  /** Values known before the first request, rendered into the page by its server. */
  readonly bootstrap?: FlagsBootstrap | undefined
}

/** Flag values that the page contains when it loads. */
export interface FlagsBootstrap {
  /** Flag key to value. These values override stored values. Flags that are off are left out, with their payloads. */
  readonly featureFlags?: Readonly<Record<string, FlagValue>> | undefined
  /** Payloads of these flags, as values or as JSON strings. */
  readonly featureFlagPayloads?: Readonly<Record<string, unknown>> | undefined
}
