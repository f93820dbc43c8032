import type { FlagValue } from '../wire/decide.ts'

/** Which generation of the flag endpoint is asked: `/decide?v=3` or `/flags/?v=2`. */
export type FlagsApi = 'decide' | 'flags'

/** The agent's options that concern flags, and where the service is. */
export interface FlagsOptions {
  /** Origin of the service, without a slash at the end. */
  readonly host: string
  /** The project API key. */
  readonly apiKey: string
  /** Default `decide`. A service that does not have it (404, 405, 410) is asked the other way, and that is remembered. */
  readonly flagsApi?: FlagsApi | undefined
  /** Load the flags at start; default true. */
  readonly preloadFeatureFlags?: boolean | undefined
  /** Milliseconds from one load to the next; 0: never by itself. */
  readonly flagsIntervalMs: number
  /** Milliseconds after which one request is given up. */
  readonly requestTimeout: number
  /** How often a request without an answer, or one answered 502 or 504, is repeated; after 300 ms, then doubling. */
  readonly featureFlagsRequestMaxRetries: number
  /** Values known before the first request, rendered into the page by its server. */
  readonly bootstrap?: FlagsBootstrap | undefined
}

export interface FlagsBootstrap {
  /** They win over stored values. An off flag is not served, nor is its payload. */
  readonly featureFlags?: Readonly<Record<string, FlagValue>> | undefined
  /** Payloads of these flags, as values or as JSON text. */
  readonly featureFlagPayloads?: Readonly<Record<string, unknown>> | undefined
}
